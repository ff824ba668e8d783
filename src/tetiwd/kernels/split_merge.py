"""One epoch of a split or merge of clusters, carried out on a trial of the epoch."""

import math

from tetiwd.kernels import row_law, sides, slots, spread_law, wishart


class Proposal:
    """Logs of one epoch's part: probabilities of the split and of the merge, and the gain of the joint density."""

    def __init__(self):
        self.log_split = self.log_merge = self.gain = 0.0


def split_in_two(trial, a, given):
    """Put the second side of cluster a into the next slot: counts and block sums. The slot has no links and no row."""
    c = trial.size[0]
    moved = 0
    for j in range(c + 1):
        trial.S[c, j] = trial.S[j, c] = 0.0
        trial.A[c, j] = trial.A[j, c] = 0.0
    for i in range(given.n_members):
        if given.side[i] == 1:
            moved += 1
            trial.sums.look(given.members[i], c, given.row)
            for j in range(c):
                trial.S[c, j] += given.row[j]
    for j in range(c):
        if j != a:
            trial.S[a, j] -= trial.S[c, j]
            trial.S[j, a] = trial.S[a, j]
            trial.S[j, c] = trial.S[c, j]
    trial.S[a, a], trial.S[c, c] = given.sums[0], given.sums[1]
    trial.S[a, c] = trial.S[c, a] = given.sums[2]
    trial.counts[a] -= moved
    trial.counts[c] = moved
    trial.A[c, c] = trial.A[a, a]
    trial.spreads[c] = trial.spreads[a]
    trial.back[c] = trial.forward[c] = -1
    trial.size[0] = c + 1
    return c


def merge_into(trial, before, after, a, b):
    """Put cluster b into a: counts and block sums, b's links and row are dropped. Returns where a is now."""
    trial.S[a, a] += trial.S[b, b] + 2.0 * trial.S[a, b]
    for j in range(trial.size[0]):
        if j != a and j != b:
            trial.S[a, j] += trial.S[b, j]
            trial.S[j, a] = trial.S[a, j]
    trial.counts[a] += trial.counts[b]
    last = trial.size[0] - 1
    slots.drop_cluster(trial, before, after, b)
    return b if a == last else a


def count_loose_ends(neighbour):
    """Clusters of a neighbouring epoch without a link towards this one."""
    n = 0
    for b in range(neighbour.size[0]):
        if neighbour.link[b] < 0:
            n += 1
    return n


def draw_loose_end(rng, neighbour):
    """A cluster of a neighbouring epoch that could be linked to, or −1."""
    n = count_loose_ends(neighbour)
    if n == 0 or rng.uniform() < 0.5:
        return -1
    pick = rng.below(n)
    for b in range(neighbour.size[0]):
        if neighbour.link[b] < 0:
            if pick == 0:
                return b
            pick -= 1
    return -1


def log_choice_of_ends(neighbour, b):
    """Log probability with which ``draw_loose_end`` gives b."""
    n = count_loose_ends(neighbour)
    if n == 0:
        return 0.0
    return math.log(0.5) if b < 0 else math.log(0.5 / n)


def give_out(rng, given, law, epoch, known, model, split, a, b, first, second, c_before):
    """Draw the sides of a split, or take those of a merge; returns the log probability of the split."""
    sides.list_members(rng, given, epoch, a, b, first, second)
    sides.clear_sides(given)
    for i in range(given.n_members):
        given.side[i] = 0 if epoch.z[given.members[i]] == a else 1
    if first < 0:
        row_law.list_others(law, epoch, a, b)
        sides.predict_side(given, 0, law, epoch, known, model, a, b, epoch.back[a])
        sides.predict_side(given, 1, law, epoch, known, model, a, b, c_before)
    return sides.allocate(rng, epoch, model, given, split)


def is_two(given):
    """True if both sides have members."""
    n_moved = 0
    for i in range(given.n_members):
        n_moved += given.side[i]
    return 0 < n_moved < given.n_members


def weigh_links(proposal, one_before, one_after, two, c, is_first, is_last):
    """The probability with which a split draws the links of the part c split off, at the ends of its lineage."""
    if is_first:
        proposal.log_split += log_choice_of_ends(one_before, two.back[c])
    if is_last:
        proposal.log_split += log_choice_of_ends(one_after, two.forward[c])


def propose_rows(
    rng, proposal, law, two, two_before, two_after, one, one_before, one_after, model, a, c, merged, split
):  # fmt: skip
    """Rows of A after the split, two of them, or after the merge; the other rows are taken as they are."""
    if model.isotropic:
        return
    proposal.log_split += row_law.propose_row(rng, law, two, two_before, two_after, model, a, c, split)
    proposal.log_split += row_law.propose_row(rng, law, two, two_before, two_after, model, c, c, split)
    proposal.log_merge += row_law.propose_row(rng, law, one, one_before, one_after, model, merged, merged, not split)


def propose_spreads(rng, proposal, two, one, model, a, c, merged, split):
    """Spreads after the split, two of them, or after the merge."""
    if model.tau == 0.0:
        return
    proposal.log_split += spread_law.propose_spread(rng, two, model, a, split)
    proposal.log_split += spread_law.propose_spread(rng, two, model, c, split)
    proposal.log_merge += spread_law.propose_spread(rng, one, model, merged, not split)


def weigh_gain(proposal, own_terms, scratch, trial, trial_before, trial_after, epoch, before, after, model):
    """How much the trial gains over the epoch as it is."""
    proposal.gain += wishart.log_around(trial, own_terms, scratch, trial_before, trial_after, model)
    proposal.gain -= wishart.log_around(epoch, own_terms, scratch, before, after, model)


def split_epoch(
    rng, proposal, given, law, own_terms, scratch, epoch, before, after, seen, trial, trial_before, trial_after,
    trial_seen, model, a, first, second, c_before, is_last,
):  # fmt: skip
    """One epoch of a split of cluster a, carried out on a trial of the epoch; its logs are added to the proposal.

    The split is seeded by two objects at its first epoch, and there ``first`` is not −1; later it follows the geometry
    of the epoch before, where the part that was split off is in slot ``c_before``. What A has to go with is ``seen``:
    the epoch after at the last epoch, nobody before that. Returns the slot of the part split off, or −1 if one side is
    left empty.
    """
    proposal.log_split += give_out(rng, given, law, epoch, trial_before, model, True, a, a, first, second, c_before)
    sides.sum_sides(model, given)
    if not is_two(given):
        return -1
    c = split_in_two(trial, a, given)
    b_new = draw_loose_end(rng, before) if first >= 0 else c_before
    f_new = draw_loose_end(rng, after) if is_last else -1
    slots.link(trial, trial_before, trial_after, c, b_new, f_new)
    weigh_links(proposal, before, after, trial, c, first >= 0, is_last)
    propose_spreads(rng, proposal, trial, epoch, model, a, c, a, True)
    propose_rows(rng, proposal, law, trial, trial_before, trial_seen, epoch, before, seen, model, a, c, a, True)
    weigh_gain(proposal, own_terms, scratch, trial, trial_before, trial_seen, epoch, before, seen, model)
    return c


def merge_epoch(
    rng, proposal, law, own_terms, scratch, epoch, before, after, seen, trial, trial_before, trial_after, trial_seen,
    model, a, b, is_first, is_last,
):  # fmt: skip
    """One epoch of a merge of cluster b into a, carried out on a trial of the epoch.

    Its logs are added to the proposal, but for the probability that a split gives the members to the sides they are on:
    that takes a look at every pair of them, and many merges are out of the question without it (``give_out``).
    """
    merged = merge_into(trial, trial_before, trial_after, a, b)
    weigh_links(proposal, trial_before, trial_after, epoch, b, is_first, is_last)
    propose_spreads(rng, proposal, epoch, trial, model, a, b, merged, False)
    propose_rows(rng, proposal, law, epoch, before, seen, trial, trial_before, trial_seen, model, a, b, merged, False)
    weigh_gain(proposal, own_terms, scratch, trial, trial_before, trial_seen, epoch, before, seen, model)
