# The banker hand's third card taken first, so that each hand has the other's card.
dealt:    P 2S B KC P KH B 3H
dealt:    B 9D P 5D
declared: player
finds:    TC-09
