"""The page on this machine where people judge."""
