"""The colours of the page and its charts, light and dark.

Charts are made in the light colours; the page's script puts the dark ones in their places. Each
colour is on its ground with a contrast of at least 4.5 : 1 (lines and bands excepted).
"""

INK = "#1d1c1a"
MUTED = "#625e57"
LINE = "#dedad2"
ACCENT = "#0a6a93"
GOLD = "#86680f"
PUBLISHED = "#93356a"

DARK = {
    INK: "#eceae6",
    MUTED: "#a9a59d",
    LINE: "#363a40",
    ACCENT: "#62bbe0",
    GOLD: "#d9ba5c",
    PUBLISHED: "#e48fbd",
}
