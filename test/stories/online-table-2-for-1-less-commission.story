# "2 for 1 minus 5%": a banker bet of 20 wins 20 less 1. From an online table's help (seed 004).
rules:    punto-banco-taken@1
decks:    6
burned:   AS 2S
bet:      seat 1 banker 20
player:   TS 6H
banker:   KC 7D
declared: banker
settled:  seat 1 banker returned 20 taken 1
finds:    nothing
