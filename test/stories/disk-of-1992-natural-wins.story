# An eight or a nine is an automatic winner if the other hand has a lower total. From a text of 1992 (seed 003).
player:   3S 5H
banker:   KC 3D
declared: player, 8 to 3
finds:    nothing
