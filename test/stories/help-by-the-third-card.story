# What the banker hand draws to, by the player hand's third card. From a Vietnamese game's help (seed 002).
# The player drew a 3, banker has 4: draws. Banker has 5: stands.
player:   KS 2H 3D
banker:   KC 4D 3H
declared: banker, 5 to 7
coup:
player:   KS 2H 3D
banker:   KC 5D
declared: tie, 5 to 5
# A 5: banker draws with 5, stands with 6.
coup:
player:   KS 2H 5D
banker:   QC 5S 3S
declared: banker, 7 to 8
coup:
player:   KS 2H 5D
banker:   QC 6S
declared: player, 7 to 6
# A 7: banker draws with 6, stands with 7.
coup:
player:   KH AH 7D
banker:   QC 6S 3S
declared: banker, 8 to 9
coup:
player:   KH AH 7D
banker:   QC 7S
declared: player, 8 to 7
# An 8: banker draws with 2, stands with 3.
coup:
player:   JH AD 8D
banker:   QC 2S 3S
declared: player, 9 to 5
coup:
player:   JH AD 8D
banker:   QC 3S
declared: player, 9 to 3
# An ace: banker draws with 3, stands with 4.
coup:
player:   JH AD AC
banker:   QC 3D 5C
declared: banker, 2 to 8
coup:
player:   JH AD AC
banker:   QC 4C
declared: banker, 2 to 4
finds:    nothing
