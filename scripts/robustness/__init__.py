"""What the scripts that prove robustness are made of: fuzzed readers, and runs to be killed."""
