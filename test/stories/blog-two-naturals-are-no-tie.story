# Eight against nine is no tie, whatever a blog of 2007 says of "both hands have an 8 or 9" (seed 001).
player:   5S 3H
banker:   6C 3D
declared: tie
finds:    RS-02
