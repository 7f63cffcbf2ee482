# The banker hand draws on 6 against a 6.
player:   2S KH 6D
banker:   KC 6H
declared: player
finds:    TC-07
