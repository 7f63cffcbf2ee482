# If one hand is an 8 and the other is a 9, the 9 wins. From another blog's rules of 2007 (seed 001).
player:   5S 3H
banker:   6C 3D
declared: banker, 8 to 9
finds:    nothing
