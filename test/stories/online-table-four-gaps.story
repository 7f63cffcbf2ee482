# What an online table's help leaves open (seed 004): the player stood, and the banker hand draws on 3, 4 and 5 and stands on 6.
player:   TS 6H
banker:   KC 3D 5H
declared: banker, 6 to 8
coup:
player:   TS 6H
banker:   KC 4D 5H
declared: banker, 6 to 9
coup:
player:   TS 6H
banker:   KC 5D AH
declared: tie, 6 to 6
coup:
player:   TS 7H
banker:   KC 6D
declared: player, 7 to 6
finds:    nothing
