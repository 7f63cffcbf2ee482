# 7+6=13=3. From an online table's help (seed 004).
player:   7S 6H KD
banker:   KC 7D
called:   player 3
declared: banker, 3 to 7
finds:    nothing
