"""The tables, figures and fits of the papers, each with the published figure beside ours."""
