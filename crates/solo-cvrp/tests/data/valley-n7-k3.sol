Route #1: 5
Route #2: 2 3 4
Route #3: 1 6
Cost 153
