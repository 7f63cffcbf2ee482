# If both hands are eights or both are nines, neither side wins. From a text of 1992 (seed 003).
player:   KS 8H
banker:   4C 4D
declared: tie, 8 to 8, with natural and banker-pair
coup:
player:   KH 9H
banker:   4C 5D
declared: tie, 9 to 9, with natural
finds:    nothing
