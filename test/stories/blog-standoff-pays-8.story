# The standoff pays 8 to 1 and the main bets stand off. From a blog's rules of 2007 (seed 000).
bet:      seat 3 tie 10
bet:      seat 3 banker 100
player:   4S 3D
banker:   KC 7H
declared: tie, 7 to 7
settled:  seat 3 tie returned 80
settled:  seat 3 banker returned
finds:    nothing
