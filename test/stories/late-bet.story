# A bet pushed over after the first card has shown, and paid.
bet:      seat 1 banker 100
player:   9S KH
banker:   5C 3D
bet:      seat 2 player 100
declared: player
settled:  seat 1 banker taken
settled:  seat 2 player returned 100
finds:    BT-01, PY-06
