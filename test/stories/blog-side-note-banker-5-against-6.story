# The banker hand draws on 5 against a standing 6: here a blog's side note of 2007 is right (seed 001).
player:   TS 6H
banker:   KC 5H 2D
declared: banker
finds:    nothing
