# If either hand has 8 or 9, both stand: this overrides all other rules. From an online table's help (seed 004).
player:   TS 8H
banker:   KC 2D 5H
declared: player
finds:    TC-02
