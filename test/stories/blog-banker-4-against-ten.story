# The banker hand stands on 4 against a ten. A blog of 2007 lists the 0 under draw and under stand (seed 001).
player:   2S KH TD
banker:   KC 4H 3D
declared: banker
finds:    TC-08
