# A display that announces totals and outcomes loses a message. Results cannot be judged; the drawing can.
player:   9S 4D 8C
banker:   KH 6S 2D
event:    device/display hand-called {"hand":"player","total":1}
lost:     1 of device/display
event:    device/display outcome-declared {"outcome":"player","by":"device"}
declared: player
finds:    DV-04, TC-08
unjudgeable: PY-07, RS-01, RS-02, RS-03, RS-05, RS-07, RS-08, RS-09
