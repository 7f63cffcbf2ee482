# A shoe of six decks and one coup, paid "2 for 1": 1 to 1. From an online table's help (seed 004).
decks:    6
bet:      seat 1 player 10
player:   9S KH
banker:   5C 3D
declared: player, 9 to 8
settled:  seat 1 player returned 10
remaining: 308
finds:    nothing
