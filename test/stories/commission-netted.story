# Commission netted out of the payout where it should have been marked.
bet:      seat 2 banker 100
player:   9S 7H
banker:   5C 2D
declared: banker
settled:  seat 2 banker returned 95
finds:    PY-03 (commission-netted)
