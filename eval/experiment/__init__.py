"""One experiment: its request, its output folder, its scored runs, their verification and check."""
