# Five per cent of a winning bank hand, taken out at once. From a blog's chemin de fer and punto banco (seed 000).
rules:    punto-banco-taken@1
burned:   AS 2S
bet:      seat 1 banker 100
player:   TS 6H
banker:   KC 7D
declared: banker, 6 to 7
settled:  seat 1 banker returned 100 taken 5
finds:    nothing
