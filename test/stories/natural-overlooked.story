# A third card for a player hand that has 4, against a banker hand's natural.
player:   KS 4H 5D
banker:   KC 8H
declared: player
finds:    TC-01
