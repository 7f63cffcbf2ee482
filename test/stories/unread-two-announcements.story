# A card could not be read, but one announces a pair and the other does not: one of them is wrong, whatever the card was.
player:   9S KH
banker:   5C ??
declared: player with natural
declared: player with natural and banker-pair by the device
finds:    DV-01, RS-05
unjudgeable: RS-02, RS-03
