# The link to the card shoe is lost in the coup in which the cut card shows. The one coup that may follow it is not one too many.
reports:  outcomes cut-card dealers
event:    shoe device-online {"missed":0}
player:   9S KH
banker:   5C 3D
declared: player
coup:
event:    shoe device-offline {}
event:    terminal cut-card-drawn {}
declared: banker
event:    shoe device-online {"missed":null}
coup:
player:   9S KH
banker:   5C 3D
declared: player
finds:    DV-06 in coup 2
unjudgeable: BT-01, BT-02, BT-03, BT-07, BT-08, BT-10, CM-01, CM-02, CM-03, CM-04, CM-05, DL-01, DL-02, DL-04, DL-06, DL-07, DL-10, DL-11
unjudgeable: DL-15, DL-16, PR-07, PR-09, PY-01, PY-02, PY-03, PY-04, PY-05, PY-06, PY-07, PY-10, RS-01, RS-02, RS-03, RS-05, RS-07, RS-08
unjudgeable: RS-09, SH-02, SH-04, SH-09, SH-10, SH-13, TC-01, TC-02, TC-03, TC-04, TC-05, TC-06, TC-07, TC-08, TC-09, TC-11
