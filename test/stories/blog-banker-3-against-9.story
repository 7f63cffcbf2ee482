# The banker hand draws on 3 against a 9. A blog of 2007 forgets the 9 (seed 001).
player:   2S KH 9D
banker:   KC 3H
declared: banker
finds:    TC-07
