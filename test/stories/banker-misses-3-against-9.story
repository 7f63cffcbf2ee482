# The banker hand draws on 3 against everything but an 8: a 9 is the one forgotten.
player:   2S KH 9D
banker:   KC 3H
declared: banker
finds:    TC-07
