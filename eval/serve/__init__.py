"""Pages on this machine: judging documents, and exploring lists of several cleaners."""
