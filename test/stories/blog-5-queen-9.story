# 5, Queen and 9 make 4. From another blog's rules of 2007 (seed 001).
player:   5S QH 9D
banker:   KC 7H
called:   player 4
declared: banker, 4 to 7
finds:    nothing
