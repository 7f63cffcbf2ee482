# A gateway dies in a coup and comes back. That coup is unjudgeable, and the coups beside it are judged in full.
event:    shoe device-online {"missed":null}
bet:      seat 1 player 100
player:   9S 4D 8C
banker:   KH 6S 2D
declared: banker
settled:  seat 1 player taken
coup:
bet:      seat 1 player 100
dealt:    P 9S B KH P 4D
event:    shoe device-online {"missed":null,"unit":"SHOE-0042"}
coup:
bet:      seat 1 player 100
player:   2S 2H 5C
banker:   4C 4H
declared: player
settled:  seat 1 player returned 100
finds:    TC-08 in coup 1, DV-06 in coup 2, TC-01 in coup 3
unjudgeable: BT-01, BT-02, BT-03, BT-07, BT-08, BT-10, CM-01, CM-02, CM-03, CM-04, CM-05, DL-01, DL-02, DL-04, DL-06, DL-07, DL-10, DL-11
unjudgeable: DL-15, DL-16, PR-07, PR-09, PY-01, PY-02, PY-03, PY-04, PY-05, PY-06, PY-07, PY-10, RS-01, RS-02, RS-03, RS-05, RS-07, RS-08
unjudgeable: RS-09, SH-02, SH-04, SH-09, SH-10, SH-13, TC-01, TC-02, TC-03, TC-04, TC-05, TC-06, TC-07, TC-08, TC-09, TC-11
