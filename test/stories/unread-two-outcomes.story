# A card could not be read, and dealer and device declare two outcomes: one of them is wrong, and nobody knows which.
player:   9S 9H
banker:   5C ??
declared: player by the device
declared: banker
finds:    DV-01
unjudgeable: RS-02, RS-03
