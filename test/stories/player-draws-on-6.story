# The player hand stands on 6.
player:   2S 4H 3D
banker:   KC 7H
declared: player
finds:    TC-04
