"""What several families of games share."""
