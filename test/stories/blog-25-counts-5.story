# Twenty-five counts 5 too, says a blog of 2007 (seed 000): but a hand that may draw never comes to it, 8 and 8 make 6 and stand.
player:   8S 8H 9D
banker:   KC 7H
called:   player 5
declared: banker, 5 to 7
finds:    TC-04
