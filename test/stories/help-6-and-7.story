# A hand of 6 and 7 is worth 3, and draws. From a Vietnamese game's help (seed 002).
player:   6S 7H KD
banker:   KC 7D
declared: banker, 3 to 7
finds:    nothing
