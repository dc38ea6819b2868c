"""The pages: plain HTML with links, which needs no scripts; with them it becomes a page to walk through."""
