# A hand of seven and four counts 1 and draws. From another blog's rules of 2007 (seed 001).
player:   7S 4H 2D
banker:   KC 7H
declared: banker, 3 to 7
finds:    nothing
