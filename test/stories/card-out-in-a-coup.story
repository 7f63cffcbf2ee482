# A card leaves the shoe outside the game while a coup is open. It lies on no hand.
dealt:    P 9S B KH out 5C P 4D B 6S P 8C
dealt:    out 7D
declared: tie, 1 to 6
finds:    DL-11, DL-11, RS-02
