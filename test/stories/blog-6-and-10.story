# A hand of 6 and 10 totals 6 and stands. From another blog's rules of 2007 (seed 001).
player:   6S TH
banker:   KC 7H
declared: banker, 6 to 7
finds:    nothing
