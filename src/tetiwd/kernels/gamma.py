"""log Γ and its differences. Compilers differ in the last bit of lgamma, not of this."""

import math

LOG_2_PI = math.log(2.0 * math.pi)


def log_gamma(x):
    """log Γ(x) for x > 0 by Stirling's series."""
    product = 1.0
    while x < 10.0:
        product *= x
        x += 1.0
    y = 1.0 / (x * x)
    # Whole numbers here would be divided as such when compiled, to 0.
    series = 1.0 / 1188.0 - y * 691.0 / 360360.0
    series = 1.0 / 1260.0 - y * (1.0 / 1680.0 - y * series)
    series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * series)) / x
    total = (x - 0.5) * math.log(x) - x + 0.5 * LOG_2_PI + series
    return total - math.log(product) if product != 1.0 else total


def log_rising(x, n):
    """log Γ(x + n) − log Γ(x), the log of n factors x (x + 1) …"""
    if n > 8:
        return log_gamma(x + n) - log_gamma(x)
    product = 1.0
    for i in range(n):
        product *= x + i
    return math.log(product)
