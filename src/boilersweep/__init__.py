"""boilersweep: sweep boilerplate-removal thresholds over a web collection and measure retrieval.

Importing it is quick: no Java is started and nothing heavy is loaded before it is used.
"""

__version__ = "0.1.0"
