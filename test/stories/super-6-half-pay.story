# Without commission a banker hand that wins with 6 pays half; paid in full here.
rules:    super-6@1
burned:   AS 2S
bet:      seat 1 banker 100
player:   TS 5D AH
banker:   KC 6H
declared: tie, 6 to 6
settled:  seat 1 banker returned
coup:
bet:      seat 1 banker 100
player:   TS 4D AH
banker:   KC 6H
declared: banker, 5 to 6
settled:  seat 1 banker returned 100
finds:    PY-05
