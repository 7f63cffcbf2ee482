# A card forgotten at the declaration and drawn after all: the fault stays on record, the later declaration is right.
player:   2S KH 9D
banker:   KC 3H
declared: banker
dealt:    B 8H
declared: tie
finds:    TC-07
