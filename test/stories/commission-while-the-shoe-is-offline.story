# The card shoe goes offline, and the dealer collects more commission than was marked. The shoe never sent money, so that is still found.
reports:  outcomes bets settlements commission dealers
event:    shoe device-online {"missed":0}
bet:      seat 1 banker 100
player:   9S 7H
banker:   5C 2D
declared: banker
settled:  seat 1 banker returned 100 marked 5
event:    shoe device-offline {}
coup:
bet:      seat 1 player 100
declared: player
settled:  seat 1 player returned 100
over:
collected: seat 1 10
event:    shoe device-online {"missed":null}
finds:    DV-06 in coup 1, CM-06
unjudgeable: BT-01, BT-02, BT-03, BT-07, BT-08, BT-10, CM-01, CM-02, CM-03, CM-04, CM-05, DL-01, DL-02, DL-04, DL-06, DL-07, DL-10, DL-11
unjudgeable: DL-15, DL-16, PR-07, PR-09, PY-01, PY-02, PY-03, PY-04, PY-05, PY-06, PY-07, PY-10, RS-01, RS-02, RS-03, RS-05, RS-07, RS-08
unjudgeable: RS-09, SH-02, SH-04, SH-09, SH-10, SH-13, TC-01, TC-02, TC-03, TC-04, TC-05, TC-06, TC-07, TC-08, TC-09, TC-11
