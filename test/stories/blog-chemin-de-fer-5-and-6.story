# Five and six make eleven, which counts 1. From a blog's chemin de fer (seed 000).
rules:    chemin-de-fer@1
player:   5S 6H 7D
banker:   KC 7H
declared: player, 8 to 7
finds:    nothing
