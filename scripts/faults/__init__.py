"""Kill commands at random moments."""
