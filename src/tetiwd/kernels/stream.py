"""Random numbers. Only uniform and normal ones are taken from the generator, so that compiled and plain runs agree."""

import math

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython

NEGLIGIBLE = -40.0  # log of what cannot change a double
COUNTS = -30.0  # log of what does change it, added to 1


class Stream:
    """The random numbers of a numpy generator; compiled, they come straight from its bit generator."""

    def __init__(self, generator):
        self.generator = generator
        if cython.compiled:
            self.bits = cython.cast(Bits, PyCapsule_GetPointer(generator.bit_generator.capsule, b"BitGenerator"))  # noqa: F821

    def uniform(self):
        """A number in [0, 1)."""
        if cython.compiled:
            return self.bits.next_double(self.bits.state)
        else:  # noqa: RET505 (a branch that is left out when compiled)
            return self.generator.random()

    def normal(self):
        """A standard normal number."""
        if cython.compiled:
            return random_standard_normal(self.bits)  # noqa: F821
        else:  # noqa: RET505
            return self.generator.standard_normal()

    def below(self, n):
        """A whole number below n."""
        return int(self.uniform() * n)


def draw_chi_square(stream, df):
    """Chi-square variate by squeezing a transformed normal (Marsaglia and Tsang 2000)."""
    shape = 0.5 * df
    boost = 1.0
    if shape < 1.0:
        boost = math.exp(math.log(1.0 - stream.uniform()) / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = stream.normal()
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - stream.uniform()) < 0.5 * x * x + d - d * v + d * math.log(v):
                return 2.0 * d * v * boost


def exponentiate(log_weight, n, power):
    """Log weights become weights relative to the largest. Returns which that is, and their sum.

    The largest alone counts if power is infinite.
    """
    best, total = 0, 0.0
    for i in range(n):
        if log_weight[i] > log_weight[best] or log_weight[best] != log_weight[best]:
            best = i
    if power == math.inf:
        return best, 1.0
    top = log_weight[best]
    for i in range(n):
        if i == best:
            log_weight[i] = 1.0
        else:
            gap = power * (log_weight[i] - top)
            log_weight[i] = math.exp(gap) if gap > NEGLIGIBLE else 0.0
        total += log_weight[i]
    return best, total


def find_index(weight, n, target, best):
    """The index below n at which the sum of weights passes the target; the best if rounding keeps it from that."""
    for i in range(n):
        target -= weight[i]
        if target < 0.0:
            return i
    return best


def draw_index(stream, log_weight, n, power):
    """Index below n drawn in proportion to exp(power · log_weight); the largest if power is infinite.

    Overwrites its input.
    """
    best, total = exponentiate(log_weight, n, power)
    if total == 1.0:
        return best
    return find_index(log_weight, n, stream.uniform() * total, best)


def index_at(log_weight, n, u):
    """The index that ``draw_index`` would draw with the random number u."""
    best, total = exponentiate(log_weight, n, 1.0)
    return find_index(log_weight, n, u * total, best)


def accept(stream, log_ratio, log_proposal, power):
    """Metropolis–Hastings decision; with infinite power only improvements pass."""
    if power == math.inf:
        return log_ratio > 0.0
    return math.log(1.0 - stream.uniform()) < power * log_ratio + log_proposal


def log_bar(stream, log_ratio, power):
    """What the log proposal must exceed for a Metropolis–Hastings decision to pass, drawn before it is known."""
    if power == math.inf:
        return -math.inf if log_ratio > 0.0 else math.inf
    return math.log(1.0 - stream.uniform()) - power * log_ratio
