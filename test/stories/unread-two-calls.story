# A card could not be read, but one hand was called at two totals: one of the calls is wrong, whatever the card was.
player:   9S ??
banker:   KC 7H
called:   player 4
called:   player 5
declared: banker
finds:    DV-01, RS-01
unjudgeable: RS-02, TC-03
