"""Trees and graphs of networkx, or as other programs and people write them."""
