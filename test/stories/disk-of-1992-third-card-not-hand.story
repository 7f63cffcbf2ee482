# The third card decides, not the player hand's total. The grid of a text of 1992 is headed "player hand rank" (seed 003).
# The player hand totals 6 with a third card of 4: banker stands on 6. It totals 4 with a third card of 2: banker draws on 4.
player:   KS 2H 4D
banker:   KC 6D
declared: tie, 6 to 6
coup:
player:   KS 2H 4D
banker:   KC 6D 5H
declared: player, 6 to 1
finds:    TC-08 in coup 2
