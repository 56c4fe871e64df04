"""Gold texts of one's own: people mark the blocks of pages."""
