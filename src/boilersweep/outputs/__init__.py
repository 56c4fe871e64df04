"""What commands leave behind: files, identities, manifests and output folders."""
