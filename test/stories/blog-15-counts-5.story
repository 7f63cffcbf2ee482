# Fifteen counts 5. From a blog's rules of 2007 (seed 000).
player:   8H 7D KC
banker:   6S AD
called:   player 5
declared: banker, 5 to 7
finds:    nothing
