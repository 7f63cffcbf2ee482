# No card of the coup could be read: nothing about it is held against anybody.
bet:      seat 1 banker 100
player:   ?? ?? ??
banker:   ?? ?? ??
called:   player 5
declared: banker, 5 to 6 with nothing
settled:  seat 1 banker returned 100 marked 5
finds:    DV-01, DV-01, DV-01, DV-01, DV-01, DV-01
unjudgeable: CM-04, PY-02, PY-04, RS-01, RS-02, RS-05, TC-01, TC-02, TC-04, TC-08
