# The banker hand stands on 6 when the player hand's third card counts 8.
player:   9S 4D 8C
banker:   KH 6S 2D
declared: banker
finds:    TC-08
