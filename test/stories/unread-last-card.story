# The shoe is empty and the last card could not be read: a card was due, or an outcome, and nobody knows which.
reports:  outcomes
burned:   all but 2S KC 7H 3H
player:   2S ??
banker:   KC 7H
finds:    DV-01
unjudgeable: RS-07, SH-13
