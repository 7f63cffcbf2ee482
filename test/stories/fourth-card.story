# A fourth card for the banker hand.
dealt:    P 2S B KC P KH B 3H P 5D B 2D B AH
declared: player
finds:    TC-11
