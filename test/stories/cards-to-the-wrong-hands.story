# Both of the player hand's cards first: the second was the banker's.
dealt:    P 9S P 4D B KH B 6S
dealt:    P 8C
declared: banker
finds:    DL-02
