# The banker hand stands on 6 against a standing 7, although it is lower. A blog's side note of 2007 has it draw (seed 001).
player:   TS 7H
banker:   KC 6H 2D
declared: banker
finds:    TC-06
