# A natural 9 beats a natural 8. From a blog's chemin de fer (seed 000).
rules:    chemin-de-fer@1
player:   9S KH
banker:   5C 3D
declared: player, 9 to 8, with natural
finds:    nothing
