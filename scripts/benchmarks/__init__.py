"""The parts of the benchmark."""
