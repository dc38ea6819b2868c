"""The referee's protocol of bidding tic-tac-toe, and the players that answer it."""
