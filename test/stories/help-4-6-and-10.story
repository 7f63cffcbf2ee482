# A hand of 4, 6 and 10 is worth zero. From a Vietnamese game's help (seed 002).
player:   4S 6H TD
banker:   KC 7D
called:   player 0
declared: banker, 0 to 7
finds:    nothing
