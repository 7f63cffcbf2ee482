# The banker hand is free on 3 against a 9 and on 5 against a 4. From a blog's chemin de fer (seed 000).
rules:    chemin-de-fer@1
player:   2S KH 9D
banker:   KC 3H
declared: banker, 1 to 3
coup:
player:   2H KS 9C
banker:   KD 3S 5H
declared: banker, 1 to 8
coup:
player:   2D KC 4D
banker:   QC 5H
declared: player, 6 to 5
coup:
player:   2C JC 4H
banker:   QD 5S 2D
declared: banker, 6 to 7
finds:    nothing
