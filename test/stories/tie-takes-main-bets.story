# A tie returns the main bets; here the banker bet was taken.
bet:      seat 2 banker 100
player:   9S 7D
banker:   5C AD
declared: tie
settled:  seat 2 banker taken
finds:    PY-04
