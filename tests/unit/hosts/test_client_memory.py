"""The process that runs the chains never has as much memory as one matrix of distances takes."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
N_OBJECTS = 5000  # 200 MB of float64 at every epoch

WRITE = """
import sys
import numpy as np
for file in sys.argv[2:]:
    rng = np.random.default_rng(len(file))
    X = 3.0 * rng.integers(4, size=(int(sys.argv[1]), 1)) + rng.standard_normal((int(sys.argv[1]), 5))
    D = ((X**2).sum(axis=1)[:, None] - 2 * X @ X.T + (X**2).sum(axis=1)) / 5
    D = np.maximum(D + D.T, 0) / 2
    np.fill_diagonal(D, 0)
    np.save(file, D)
"""

FIT = """
import logging, sys
from distributed import Client, LocalCluster
from tetiwd import Hyperparameters, SamplerSettings, run_chains
from tetiwd.hosts import open_series

def in_status(name):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(name))

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
                      dashboard_address="127.0.0.1:0", memory_limit=None,
                      silence_logs=logging.CRITICAL) as cluster, Client(cluster, set_as_default=False) as client:
        before = in_status("VmRSS")
        series = open_series(sys.argv[2:], hosts=client)
        settings = SamplerSettings(n_chains=2, n_warmup=8, n_draws=4, n_anneal=3, spread_epochs=True)
        sample = run_chains(series, Hyperparameters(dof="moments", geometry="full"), settings, hosts=client,
                            checkpoint=sys.argv[1])
        assert len(sample.draws[0]) == 4
        print(in_status("VmHWM") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux")
def test_less_than_one_matrix(tmp_path):
    files = [tmp_path / f"{t}.npy" for t in range(3)]
    subprocess.run([sys.executable, "-c", WRITE, str(N_OBJECTS), *files], check=True)
    (tmp_path / "fit.py").write_text(FIT)  # workers import the file that started them
    command = [sys.executable, tmp_path / "fit.py", tmp_path / "checkpoint", *files]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    assert int(ran.stdout.split()[-1]) < 8 * N_OBJECTS**2
