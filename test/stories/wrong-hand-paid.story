# The wrong outcome declared, and the bets settled by it.
bet:      seat 1 player 100
bet:      seat 2 banker 100
player:   9S KH
banker:   5C 3D
declared: banker
settled:  seat 1 player taken
settled:  seat 2 banker returned 100 marked 5
finds:    RS-02, PY-01, PY-02, CM-04
