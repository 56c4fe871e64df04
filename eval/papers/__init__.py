"""The experiment of the 2010 paper on BLOGS06, with the published figures beside ours."""
