# "9 for 1" is 8 to 1. Paid nine, the tie bet has its stake counted as winnings. From an online table's help (seed 004).
bet:      seat 1 tie 10
player:   9S KH
banker:   5C 4D
declared: tie, 9 to 9
settled:  seat 1 tie returned 90
finds:    PY-03 (stake-counted-as-winnings)
