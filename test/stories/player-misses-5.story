# The player hand draws on 5.
player:   2S 3H
banker:   KC 7H
declared: banker
finds:    TC-03
