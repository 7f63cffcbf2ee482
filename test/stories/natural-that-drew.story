# A hand of 9 draws all the same. It stays a natural, and is announced as one.
player:   4S 5H KD
banker:   KC 7H
declared: player with natural
finds:    TC-01
