# 8 to 1 read as 8 for 1: the tie bet is paid seven.
bet:      seat 1 tie 10
player:   9S KH
banker:   5C 4D
declared: tie, 9 to 9
settled:  seat 1 tie returned 70
finds:    PY-03 (odds-read-as-for)
