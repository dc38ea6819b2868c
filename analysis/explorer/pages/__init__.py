"""The pages: plain HTML with links and no scripts."""
