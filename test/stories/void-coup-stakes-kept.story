# A void coup whose stake was not given back before the next one.
bet:      seat 1 banker 100
player:   9S 4D
banker:   5C 3D
void:     by mira because two cards stuck together
coup:
bet:      seat 1 banker 100
player:   9S KH
banker:   5C 2D AD
void:     by mira because the deck is wrong
settled:  seat 1 banker returned
finds:    TC-02 (void), BT-08
