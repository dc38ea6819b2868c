"""How large a game is, and what solving it would take, told before it is tried."""
