# A void, a move, a correction and a waiver, each sent by the person whom it names.
rules:    punto-banco@1
burned:   AS 2S
bet:      seat 1 banker 100
player:   2S 4H
banker:   KH 9D
corrected: 4H is 5H by mira because it was misread
declared: banker
settled:  seat 1 banker returned 100 marked 5
over:
waived:   seat 1 5, by omar because of a dispute
coup:
bet:      seat 1 player 100
player:   9S KC
banker:   5C 3D
dealt:    - 8C
moved:    8C to discard, by mira because it was one too many
declared: player
void:     by omar because the shoe was opened
settled:  seat 1 player returned
finds:    DL-06 in coup 2 (void)
