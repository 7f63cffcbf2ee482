# If the player stood pat, the banker draws with 0-5 and stands with 6 or 7. From a Vietnamese game's help (seed 002).
player:   TS 6H
banker:   KC 5D 3H
declared: banker, 6 to 8
coup:
player:   JS 6D
banker:   KH 6C
declared: tie, 6 to 6
finds:    nothing
