"""Readers, one file per format. A new one is a file with a ``READER`` and a line here.

Modules of readers load nothing heavy: libraries for one format are imported by the functions that need them.
"""

from tetiwd.io.readers import arrays, fasta, feature_arrays, features, h5ad, h5ad_features, long, matrix
from tetiwd.io.readers.reader import Reader

# In this order: a table that looks square is a matrix, one with pairs is long, any other one holds features.
READERS: tuple[Reader, ...] = (
    feature_arrays.READER,
    arrays.READER,
    h5ad_features.READER,
    h5ad.READER,
    fasta.READER,
    matrix.READER,
    long.READER,
    features.READER,
)
