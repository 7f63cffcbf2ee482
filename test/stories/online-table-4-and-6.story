# 4+6=10=0. From an online table's help (seed 004).
player:   4S 6H 2D
banker:   KC 7D
declared: banker, 2 to 7
finds:    nothing
