# A house that pays ties 8 to 1 is asked for the 9 to 1 of a blog of 2007 (seed 001), and pays it.
bet:      seat 7 tie 25
player:   4S 3D
banker:   KC 7H
declared: tie
settled:  seat 7 tie returned 225
finds:    PY-03 (stake-counted-as-winnings)
