# A card could not be read, but the dealer declares two outcomes: one of them is wrong, whatever the card was.
player:   9S 9H
banker:   5C ??
declared: player
declared: banker
finds:    DV-01, RS-02, RS-08
