"""The model in plain numpy: densities, their pieces, and forward simulation. Nothing here is compiled.

Notation, used under these names everywhere (T epochs, n objects, k clusters present)

=====================  ===========  ====================================================================
name in code           shape        meaning
=====================  ===========  ====================================================================
``D``                  (n, n)       squared distances at one epoch, zero diagonal, "per degree of freedom":
                                    for X with d columns D_ij = ‖x_i − x_j‖² / d
``similarity``         (n, n)       dot products K = X Xᵀ / d, so that D_ij = K_ii + K_jj − 2 K_ij
``labels``             (n,)         cluster of every object: 0 … k−1, indexing the rows of A
``labels_by_epoch``    T × (n_t,)   the same as *lineage ids*: one integer at consecutive epochs means "linked"
``lineage_ids``          (k,)         lineage id of every row of A_t, increasing
``counts``             (k,)         cluster sizes n_c
``block_sums``         (k, k)       S = Zᵀ D Z, both triangles, so S_cc counts each pair twice
``A``                  (k, k)       between-cluster covariance A_t
``alpha``              scalar       within-cluster variance α, shared by all epochs
``dof``                scalar       degrees of freedom d of the likelihood
``df_A``               scalar       degrees of freedom ν of the Wishart process of A_t
``xi``                 scalar       Dirichlet rate ξ
``kappa``              scalar       what an object of the epoch before counts in the urn, κ
``max_clusters``       scalar       truncation level of the partition prior, None for infinity
``new_scale``          scalar       scale s of a new cluster's row in A
``spreads``            (k,)         variance within every cluster relative to alpha, α_c / α; 1 where all are equal
``tau``                scalar       how much they differ: standard deviation τ of their logarithms
=====================  ===========  ====================================================================

Index letters: i sweep, t epoch, l object, c cluster, b other cluster, j other object.

The n×n matrices Z A Zᵀ and Σ are built only by the ``*_dense`` twins, which exist to be compared with.

A small case. Two clusters of sizes 2 and 1 with A = diag(1, 1) and α = 1::

    Σ = αI + Z A Zᵀ = [[2, 1, 0], [1, 2, 0], [0, 0, 2]]

and distances enter through counts (2, 1) and the 2×2 block sums alone.
"""

from tetiwd.model.candidates import CandidateTerms
from tetiwd.model.designs import simulate_independent, simulate_overlapping, simulate_separated, simulate_unequal
from tetiwd.model.geometry_prior import (
    draw_row,
    log_prior_geometry,
    log_row_density,
    log_wishart,
    prior_scale,
)
from tetiwd.model.joint import log_joint
from tetiwd.model.likelihood import (
    block_statistics,
    log_likelihood,
    log_likelihood_dense,
    log_likelihood_from_blocks,
    log_likelihood_similarity,
    log_likelihood_similarity_dense,
    log_likelihood_similarity_from_blocks,
)
from tetiwd.model.partition_prior import FreeLabels, candidate_weight, log_prior_partitions
from tetiwd.model.simulation import Simulation, simulate

__all__ = [
    "CandidateTerms",
    "FreeLabels",
    "Simulation",
    "block_statistics",
    "candidate_weight",
    "draw_row",
    "log_joint",
    "log_likelihood",
    "log_likelihood_dense",
    "log_likelihood_from_blocks",
    "log_likelihood_similarity",
    "log_likelihood_similarity_dense",
    "log_likelihood_similarity_from_blocks",
    "log_prior_geometry",
    "log_prior_partitions",
    "log_row_density",
    "log_wishart",
    "prior_scale",
    "simulate",
    "simulate_independent",
    "simulate_overlapping",
    "simulate_separated",
    "simulate_unequal",
]
