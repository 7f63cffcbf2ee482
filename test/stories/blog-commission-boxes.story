# Commission is marked in a box for each seat and not collected every game. From another blog's rules of 2007 (seed 001).
bet:      seat 12 banker 200
player:   TS 6H
banker:   KC 7D
declared: banker
settled:  seat 12 banker returned 200 marked 10
collected: seat 12 10
closed:   end
finds:    nothing
