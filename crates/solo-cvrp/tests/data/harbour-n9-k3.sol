Route #1: 3 4 5
Route #2: 2 8
Route #3: 1 7 6
Cost 290
