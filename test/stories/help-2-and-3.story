# A hand of 2 and 3 is worth 5, and draws. From a Vietnamese game's help (seed 002).
player:   2S 3H KD
banker:   KC 7H
declared: banker, 5 to 7
finds:    nothing
