# While the card shoe is offline, a person enters the cards of a coup. That coup stays judged.
reports:  outcomes dealers
event:    shoe device-online {"missed":0}
player:   9S KH
banker:   5C 3D
declared: player
event:    shoe device-offline {}
coup:
event:    person/mira card-drawn {"card":"9S","to":"player"}
event:    person/mira card-drawn {"card":"KH","to":"banker"}
event:    person/mira card-drawn {"card":"4D","to":"player"}
event:    person/mira card-drawn {"card":"6S","to":"banker"}
event:    person/mira card-drawn {"card":"8C","to":"player"}
event:    person/mira card-drawn {"card":"2D","to":"banker"}
declared: banker
finds:    DV-06 in coup 1, DV-11 in coup 2, DV-11 in coup 2, DV-11 in coup 2, DV-11 in coup 2, DV-11 in coup 2, DV-11 in coup 2, TC-08 in coup 2
unjudgeable: BT-01, BT-02, BT-03, BT-07, BT-08, BT-10, CM-01, CM-02, CM-03, CM-04, CM-05, DL-01, DL-02, DL-04, DL-06, DL-07, DL-10, DL-11
unjudgeable: DL-15, DL-16, PR-07, PR-09, PY-01, PY-02, PY-03, PY-04, PY-05, PY-06, PY-07, PY-10, RS-01, RS-02, RS-03, RS-05, RS-07, RS-08
unjudgeable: RS-09, SH-02, SH-04, SH-09, SH-10, SH-13, TC-01, TC-02, TC-03, TC-04, TC-05, TC-06, TC-07, TC-08, TC-09, TC-11
