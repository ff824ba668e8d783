"""``python -m benchmarks``: run every measurement. Compare ratios inside one run; machines differ."""

from benchmarks import likelihood, start_up, sweep

if __name__ == "__main__":
    likelihood.main()
    sweep.main()
    start_up.main()
