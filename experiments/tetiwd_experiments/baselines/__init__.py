"""Other ways to cluster the same data, to compare with: static, pooled, Gaussian, and linkage."""
