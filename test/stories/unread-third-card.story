# The player hand's third card could not be read: whether the banker hand's draw on 6 was lawful, nobody knows.
player:   2S KH ??
banker:   KC 6H 2D
declared: banker
finds:    DV-01
unjudgeable: RS-02, TC-08
