# An exposed card that was carried over is not foreseen again in its next coup, read or not.
rules:    nsw-crown@1
burned:   2S 5D 6D
player:   9S KH
banker:   5C 3D
declared: player
dealt:    - ??!
moved:    ?? to next, by mira because it was seen
coup:
dealt:    B 5C P 4H B 3D
declared: player
finds:    DL-07 in coup 1, DV-01 in coup 1
unjudgeable: RS-02
