"""``python -m tetiwd`` is the command ``tetiwd``."""

from tetiwd.cli import main

if __name__ == "__main__":
    main()
