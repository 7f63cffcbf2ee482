# The player hand may draw or stand on 5. From a blog's chemin de fer (seed 000).
rules:    chemin-de-fer@1
player:   5S KH
banker:   KC 6H
declared: banker, 5 to 6
coup:
player:   5D QH 4C
banker:   KD 6S
declared: player, 9 to 6
finds:    nothing
