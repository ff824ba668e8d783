"""Answers of tetiwd and other methods on labelled series.

Methods cluster every time point by itself, or all time points together ("pooled") where the distances between them are
known. Methods "told k" are told the true number of clusters; all others are told nothing. Objects that HDBSCAN and the
dynamic tree cut leave out count as clusters of one. The Gaussian mixture uses the features if there are at most five,
otherwise up to five coordinates of classical scaling; this number and the smallest variance it may use are the best of
nine choices according to the labels of ten of the sets, which favours it. tetiwd runs with its defaults and the setting
named, once per seed; three point estimates of the same runs are shown: the default (usual), VI, and ARI (no more
clusters than the median draw).

- ARI: adjusted Rand index, the mean over time points with more than one true label. "Shared" are the six real series
  with times of their own that were there before the package: evd68, embryo, senate, rsv_a, reviews and microbiome.
- k ÷ true: number of clusters, found ÷ true, both summed over time points; means over sets are geometric.
- links right: share of the links between consecutive time points that join clusters with the same majority, of those
  that were claimed. Methods that treat time points one by one claim none; in the embryo set, labels change
  their meaning.
- seconds: processor time of one run; in the first table, the mean over sets.

Sets without time points were split at random into three epochs and standardised. The sets are divided once and for all:
settings and rules are chosen by looking at one half, and confirmed on the other.
"""
