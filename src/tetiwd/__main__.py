"""``python -m tetiwd``: the command line."""

from tetiwd.cli import main

main()
