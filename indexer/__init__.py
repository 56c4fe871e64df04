"""From a block store to Lucene indexes: parallel ones for a sweep, or one to deploy.

Importing it starts no JVM and imports no pyserini; building does.
"""
