# A seventh card drawn after both hands are complete.
player:   2S KH 5D
banker:   KC 3H 4D
dealt:    - 8C
declared: tie
finds:    DL-06
