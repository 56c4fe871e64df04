"""People who judge or mark documents on a page: their names, logs, and agreement."""
