"""Trees and graphs in files, as other programs and people write them."""
