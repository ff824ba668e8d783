"""The two sides of a split while its members are given to them, one by one."""

import math

import numpy as np

from tetiwd.kernels import row_law, stream, views


class Sides:
    """Members of a split or merge, and what is known of its two sides; for up to n objects and K clusters."""

    def __init__(self, n, capacity):
        self.n_members = 0
        self.members, self.side = np.zeros(n, np.int64), np.zeros(n, np.int64)  # in the order they are given out
        self.distance = np.zeros((2, n))  # squared distance of every member to where a side should be
        self.uncertainty = np.zeros(2)  # variance of that place, inf if nothing is known
        self.count_before = np.zeros(2)  # objects of the side at the epoch before
        self.count = np.zeros(2)  # members so far
        self.own = np.zeros(2)  # sum of their own similarities
        self.within = np.zeros(2)  # squared distances among them, every pair twice
        self.to_place = np.zeros(2)  # their squared distances to where the side should be
        self.across = 0.0  # squared distances between members on different sides
        self.r, self.log_weight, self.sums = np.zeros(2), np.zeros(2), np.zeros(3)
        self.of_group = np.zeros(n, np.int64)  # side of every group of objects that stay together, −1 if open
        self.beta, self.weight, self.row = np.zeros(capacity), np.zeros(capacity), np.zeros(capacity)


def clear_sides(sides):
    """Both sides empty, with nothing known."""
    for a in range(2):
        sides.uncertainty[a] = math.inf
        sides.count_before[a] = sides.count[a] = sides.own[a] = sides.within[a] = sides.to_place[a] = 0.0
        for i in range(sides.n_members):
            sides.distance[a, i] = 0.0
    sides.across = 0.0


def list_members(rng, sides, epoch, a, b, first, second):
    """Objects of clusters a and b in random order, but ``first`` and ``second``, if there are such, ahead."""
    members = sides.members
    ahead = 2 if first >= 0 else 0
    n = ahead
    if first >= 0:
        members[0], members[1] = first, second
    for obj in range(epoch.n):
        if (epoch.z[obj] == a or epoch.z[obj] == b) and obj != first and obj != second:
            members[n] = obj
            n += 1
    for i in range(n - 1, ahead, -1):
        j = ahead + rng.below(i - ahead + 1)
        members[i], members[j] = members[j], members[i]
    sides.n_members = n


def predict_side(sides, s, law, epoch, before, model, a, b, slot_before):
    """Where side s should be, from the geometry of the epoch before: squared distance of every member to that place.

    The place is a combination of the means of other clusters and of the members themselves.
    """
    m, k = law.m, epoch.size[0]
    sides.uncertainty[s] = row_law.regress_on_before(law, epoch, before, model, slot_before, sides.beta)
    sides.count_before[s] = before.counts[slot_before]
    rest = 1.0
    for i in range(k):
        sides.weight[i] = 0.0
    for i in range(m):
        sides.weight[law.others[i]] = sides.beta[i] / epoch.counts[law.others[i]]
        rest -= sides.beta[i]
    sides.weight[a] = sides.weight[b] = rest / float(sides.n_members)
    constant = 0.0
    for i in range(k):
        for j in range(k):
            constant += sides.weight[i] * sides.weight[j] * epoch.S[i, j]
    for i in range(sides.n_members):
        obj = sides.members[i]
        total = 0.0
        epoch.sums.look(obj, k, sides.row)
        for j in range(k):
            total += sides.weight[j] * sides.row[j]
        if model.similarity:
            sides.distance[s, i] = views.own_similarity(epoch, model, obj) - 2.0 * total + constant
        else:
            sides.distance[s, i] = total - 0.5 * constant


def weigh_side(model, sides, i, a, r):
    """Log weight of side a for member i: its size times a Gaussian around where it is thought to be.

    That is a compromise between the mean of those already there, to whom r is the sum of squared distances, and a place
    known beforehand.
    """
    n = sides.count[a]
    precision = 1.0 / sides.uncertainty[a] + n / model.alpha
    place = 1.0 / (sides.uncertainty[a] * precision)
    distance = place * sides.distance[a, i]
    if n > 0.0:
        half = 0.5 * sides.within[a] / (n * n)
        distance += (1.0 - place) * (r / n - half - place * (sides.to_place[a] / n - half))
    spread = model.alpha + 1.0 / precision
    return math.log(sides.count_before[a] + n) - 0.5 * model.dof * (math.log(spread) + distance / spread)


def allocate(rng, epoch, model, sides, drawn):
    """Give members to two sides one by one; returns the log probability.

    Without known places the first two members go to one side each. Sides are drawn if ``drawn``, otherwise those given
    are taken. Objects that stay together follow the first of them.
    """
    n_fixed = 2 if sides.uncertainty[0] == math.inf else 0
    total = 0.0
    for g in range(epoch.bonds.n_groups):
        sides.of_group[g] = -1
    epoch.sums.open_sides()
    for i in range(sides.n_members):
        obj = sides.members[i]
        own = views.own_similarity(epoch, model, obj)
        for a in range(2):
            sides.r[a] = epoch.sums.to_side(obj, a)
            if model.similarity:
                sides.r[a] = sides.count[a] * own + sides.own[a] - 2.0 * sides.r[a]
        g = epoch.bonds.group[obj] if epoch.bonds.n_groups > 0 else -1
        if i < n_fixed:
            sides.side[i] = i
        elif g >= 0 and sides.of_group[g] >= 0:
            sides.side[i] = sides.of_group[g]
        else:
            sides.log_weight[0] = weigh_side(model, sides, i, 0, sides.r[0])
            sides.log_weight[1] = weigh_side(model, sides, i, 1, sides.r[1])
            ahead = sides.log_weight[0] - sides.log_weight[1]
            if drawn:
                sides.side[i] = stream.draw_index(rng, sides.log_weight, 2, 1.0)
            if sides.side[i] == 1:
                ahead = -ahead
            total -= max(-ahead, 0.0) + math.log(1.0 + math.exp(-abs(ahead)))
        a = sides.side[i]
        if g >= 0:
            sides.of_group[g] = a
        epoch.sums.join_side(obj, a)
        sides.count[a] += 1.0
        sides.own[a] += own
        sides.within[a] += 2.0 * sides.r[a]
        sides.across += sides.r[1 - a]
        sides.to_place[a] += sides.distance[a, i]
    return total


def sum_sides(model, sides):
    """Block sums within each side and across, of distances or similarities as they are."""
    sums = sides.sums
    sums[0], sums[1], sums[2] = sides.within[0], sides.within[1], sides.across
    if model.similarity:
        for a in range(2):
            sums[a] = sides.count[a] * sides.own[a] - 0.5 * sums[a]
        sums[2] = 0.5 * (sides.count[1] * sides.own[0] + sides.count[0] * sides.own[1] - sums[2])
