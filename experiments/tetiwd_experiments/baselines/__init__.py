"""Baseline methods for the same data: static, pooled, Gaussian, linkage and HDBSCAN."""
