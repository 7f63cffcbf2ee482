# The banker hand always draws on 0, 1 and 2. So says the prose of a text on a disk of 1992; its grid says stand (seed 003).
player:   KS 2H 7D
banker:   KC TD 5H
declared: player, 9 to 5
coup:
player:   KS 2H 7D
banker:   KC TD
declared: player, 9 to 0
finds:    TC-07 in coup 2
