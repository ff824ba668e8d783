"""Compiled kernels return the logs of the plain ones to the last bit; equal draws alone would hide a small error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tetiwd.kernels import COMPILED

RUN = """
from runs import MODEL, small_series
from tetiwd import SamplerSettings, kernels, run_chains
from tetiwd.moves import split_merge
def printed(call, logs_of):
    def call_and_print(*given):
        result = call(*given)
        print(*(float(log).hex() for log in logs_of(result)))
        return result
    return call_and_print
split_merge.split_lineage = printed(kernels.split_lineage, lambda result: result[1])
split_merge.merge_lineages = printed(kernels.merge_lineages, lambda result: result)
split_merge.log_chance_of_sides = printed(kernels.log_chance_of_sides, lambda result: [result])
run_chains(small_series((9, 8)), MODEL, SamplerSettings(n_chains=1, n_warmup=8, n_draws=4, n_anneal=2), n_threads=1)
"""


@pytest.mark.skipif(not COMPILED, reason="nothing to compare with")
def test_logs_of_split_and_merge_are_those_of_the_plain_kernels():
    found = {}
    for compiled in ("0", "1"):
        environment = os.environ | {"TETIWD_COMPILED": compiled}
        environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
        out = subprocess.run([sys.executable, "-c", RUN], env=environment, check=True, capture_output=True, text=True)
        found[compiled] = out.stdout.splitlines()
    assert len(found["1"]) > 10
    assert found["0"] == found["1"]
