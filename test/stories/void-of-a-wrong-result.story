# The dealer declares the wrong hand, and the coup is voided before it closes.
player:   9S KH
banker:   5C 3D
declared: banker
void:     by mira because the deck is wrong
finds:    RS-02 (void)
