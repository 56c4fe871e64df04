"""An index that knows its documents' blocks, and what any rule leaves of it."""
