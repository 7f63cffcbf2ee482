# A card was seen in the shoe after one that could not be read: it was due or it was one too many, and nobody knows which.
rules:    macau-2011@1
reports:  outcomes
player:   9S ??
banker:   KC 7H
dealt:    - 4D!
declared: banker
finds:    DV-01
unjudgeable: DL-05, DL-07, RS-02
