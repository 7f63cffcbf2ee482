# The banker hand stands on 3 against an 8.
player:   2S KH 8D
banker:   KC 3H 6D
declared: banker
finds:    TC-08
