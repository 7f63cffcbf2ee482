# A winning banker bet paid without its commission.
bet:      seat 2 banker 100
player:   9S 7H
banker:   5C 2D
declared: banker
settled:  seat 2 banker returned 100
finds:    CM-01
