# A void in the pit boss's name that the dealer's terminal sent: nobody knows who pressed the key.
bet:      seat 1 player 100
player:   9S KH
banker:   5C 3D
declared: player
event:    terminal coup-voided {"reason":"two cards stuck together","by":"mira"}
settled:  seat 1 player returned
finds:    PR-10
