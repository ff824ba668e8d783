"""The paper's experiments and one more, each reproducible by one command: ``tetiwd experiment NAME``.

``designs`` defines the simulated data, ``plan`` how often they are drawn and with which seeds. ``repeat`` clusters one
data set by every method, ``runner`` does all repeats on all processors, and ``folder`` keeps their tables.
``statistics``, ``figures`` and ``summary`` describe the results; ``findings`` writes them.
"""
