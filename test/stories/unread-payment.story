# A card could not be read, but the banker hand cannot win with 6 against 9: the payment is wrong, whatever the card was.
rules:    super-6@1
burned:   AS 2S
bet:      seat 1 super-6 10
player:   9S KH
banker:   5C ??
declared: player
settled:  seat 1 super-6 returned 120
finds:    DV-01, PY-02
unjudgeable: RS-02
