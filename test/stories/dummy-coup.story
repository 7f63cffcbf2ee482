# A dummy coup dealt between two others, with nobody betting.
kind:     dummy
player:   9S KH
banker:   5C 3D
coup:
bet:      seat 1 player 100
player:   9S KH
banker:   5C 3D
declared: player
settled:  seat 1 player returned 100
finds:    nothing
