"""The paper's experiments and one more, each reproducible by one command: ``tetiwd experiment NAME``.

``designs`` says what is simulated, ``plan`` how often and with which seeds, ``repeat`` clusters one data set by every
method, ``runner`` does all repeats on all processors, ``folder`` keeps what they found; ``statistics``, ``figures`` and
``summary`` tell what it says.
"""
