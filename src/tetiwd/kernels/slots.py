"""Bookkeeping of clusters: opening and closing slots, links, and what an object adds to the sums."""


def take_out_alone(epoch, a):
    """Empty the cluster of a lone object exactly: its block sums are zero by definition."""
    epoch.counts[a] -= 1
    for j in range(epoch.size[0]):
        epoch.S[a, j] = 0.0
        epoch.S[j, a] = 0.0


def put_in(epoch, c, r, own):
    """Count an object with row sums r into cluster c."""
    for j in range(epoch.size[0]):
        epoch.S[c, j] += r[j]
        epoch.S[j, c] += r[j]
    epoch.S[c, c] += own
    epoch.counts[c] += 1


def unlink(epoch, before, after, c):
    """Cut cluster c from its neighbours in time."""
    if epoch.back[c] >= 0:
        before.link[epoch.back[c]] = -1
        epoch.back[c] = -1
    if epoch.forward[c] >= 0:
        after.link[epoch.forward[c]] = -1
        epoch.forward[c] = -1


def link(epoch, before, after, c, b, f):
    """Link cluster c to b at the epoch before and f at the epoch after, −1 for none."""
    epoch.back[c] = b
    epoch.forward[c] = f
    if b >= 0:
        before.link[b] = c
    if f >= 0:
        after.link[f] = c


def open_slot(epoch, before, after, b, f, h, row, schur):
    """Make an empty cluster with the given links and row of A, from row ``row`` of h; returns its slot."""
    k = epoch.size[0]
    variance = schur
    for i in range(k):
        total = 0.0
        for j in range(k):
            total += epoch.A[i, j] * h[row, j]
        epoch.A[i, k] = total
        epoch.A[k, i] = total
    for i in range(k):
        variance += h[row, i] * epoch.A[i, k]
    epoch.A[k, k] = variance
    for j in range(k + 1):
        epoch.S[k, j] = 0.0
        epoch.S[j, k] = 0.0
    clear_row_sums(epoch, k)
    epoch.counts[k] = 0
    link(epoch, before, after, k, b, f)
    epoch.size[0] = k + 1
    return k


def close_slot(epoch, before, after, a):
    """Remove the empty cluster in slot a; the last cluster moves into its place."""
    drop_cluster(epoch, before, after, a)
    relabel(epoch, epoch.size[0], a)


def drop_cluster(epoch, before, after, a):
    """Remove cluster a from the small arrays; the last cluster moves into its place."""
    unlink(epoch, before, after, a)
    last = epoch.size[0] - 1
    if a != last:
        for i in range(last):
            if i != a:
                epoch.A[a, i] = epoch.A[last, i]
                epoch.A[i, a] = epoch.A[i, last]
                epoch.S[a, i] = epoch.S[last, i]
                epoch.S[i, a] = epoch.S[i, last]
        epoch.A[a, a] = epoch.A[last, last]
        epoch.S[a, a] = epoch.S[last, last]
        epoch.counts[a] = epoch.counts[last]
        epoch.spreads[a] = epoch.spreads[last]
        b, f = epoch.back[last], epoch.forward[last]
        unlink(epoch, before, after, last)
        link(epoch, before, after, a, b, f)
    for i in range(last + 1):
        epoch.A[last, i] = 0.0
        epoch.A[i, last] = 0.0
        epoch.S[last, i] = 0.0
        epoch.S[i, last] = 0.0
    epoch.counts[last] = 0
    epoch.spreads[last] = 1.0
    epoch.size[0] = last


def relabel(epoch, last, a):
    """Objects and row sums of slot ``last`` move to slot a."""
    if a != last:
        for j in range(epoch.R.shape[1]):
            epoch.R[a, j] = epoch.R[last, j]
        for j in range(epoch.n):
            if epoch.z[j] == last:
                epoch.z[j] = a
    clear_row_sums(epoch, last)


def clear_row_sums(epoch, c):
    """No row sums for an empty slot."""
    for j in range(epoch.R.shape[1]):
        epoch.R[c, j] = 0.0


def move_members(epoch, members, side, a, b, split):
    """Labels and row sums after an accepted split (the second side goes from a to slot b) or merge (b goes into a)."""
    if split:
        clear_row_sums(epoch, b)
        for i in range(members.shape[0]):
            if side[i] == 1:
                epoch.sums.move(members[i], a, b)
                epoch.z[members[i]] = b
        return
    for j in range(epoch.R.shape[1]):
        epoch.R[a, j] += epoch.R[b, j]
    for j in range(epoch.n):
        if epoch.z[j] == b:
            epoch.z[j] = a
    relabel(epoch, epoch.size[0], b)
