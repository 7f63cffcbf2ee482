# Fifteen counts 5. From a blog's rules of 2007 (seed 000).
player:   8H 7D KC
banker:   6S KD 8C
called:   player 5
declared: player, 5 to 4
finds:    nothing
