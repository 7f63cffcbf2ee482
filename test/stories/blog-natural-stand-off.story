# Two naturals of the same number are a stand-off: the bets are withdrawn. From a blog's chemin de fer (seed 000), played for the bets of punto banco.
bet:      seat 1 player 100
bet:      seat 2 banker 100
player:   9S QH
banker:   5C 4D
declared: tie, 9 to 9
settled:  seat 1 player returned
settled:  seat 2 banker returned
finds:    nothing
