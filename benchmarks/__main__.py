"""``python -m benchmarks``: run every measurement and print one table."""

from benchmarks import likelihood

if __name__ == "__main__":
    likelihood.main()
