"""What a page is: its blocks, its structure, and the segmenter that cuts it, pure and compiled."""
