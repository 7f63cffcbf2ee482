# A card could not be read: with another 4 the hand is a pair and a natural, so a pair alone is wrong, whatever the card was.
player:   4S ??
banker:   KC 7H
declared: player with player-pair
finds:    DV-01, RS-05
unjudgeable: RS-02, TC-03
