"""Dask's workers: joined or started, compared with this process, and closed."""

import os
import signal
import socket

import pytest

from tetiwd import cluster
from tetiwd.cluster import check_versions, dask_workers, executor_of
from tetiwd.errors import SettingsError, WorkersError
from tetiwd.versions import versions


class FakeClient:
    """Answers with the versions it was given, worker by worker."""

    def __init__(self, *answers):
        self.answers = answers

    def run(self, function, on_error):
        return {f"tcp://worker-{i}": answer for i, answer in enumerate(self.answers)}


def test_workers_with_the_same_versions_are_taken():
    check_versions(FakeClient(versions(), versions()))


@pytest.mark.parametrize("name", ["tetiwd", "numpy", "python"])
def test_another_version_is_refused_by_name(name):
    with pytest.raises(WorkersError, match=f"worker tcp://worker-1 has {name} 0.0, and here there are .*{name}"):
        check_versions(FakeClient(versions(), versions() | {name: "0.0.1" if name == "python" else "0.0"}))


def test_the_last_number_of_python_does_not_matter():
    first, second, _ = versions()["python"].split(".")
    check_versions(FakeClient(versions() | {"python": f"{first}.{second}.99"}))


def test_a_worker_without_the_package_is_refused():
    with pytest.raises(
        WorkersError, match=r"worker-0 cannot use tetiwd \(ModuleNotFoundError: No module named 'tetiwd'"
    ):
        check_versions(FakeClient(ModuleNotFoundError("No module named 'tetiwd'")))


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    with pytest.raises(
        WorkersError, match=r"Dask is not installed; install the extra dask: pip install 'tetiwd\[dask]"
    ):
        dask_workers(n_local=1).__enter__()


@pytest.mark.parametrize("given", [{}, {"scheduler": "tcp://127.0.0.1:1", "n_local": 2}])
def test_either_a_scheduler_or_local_workers(given):
    pytest.importorskip("distributed")
    with pytest.raises(SettingsError, match="either scheduler or n_local"), dask_workers(**given):
        pass


def test_no_scheduler_there():
    pytest.importorskip("distributed")
    with pytest.raises(WorkersError, match=r"no scheduler at tcp://127.0.0.1:1 .*; start one with: dask scheduler"):
        dask_workers("tcp://127.0.0.1:1", timeout=0.5).__enter__()


def test_local_workers_listen_on_loopback_and_leave_nothing(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    import psutil

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with dask_workers(n_local=2) as client:
        found = list(executor_of(client).map(pow, [2, 3], [4, 5]))
        pids = list(client.run(os.getpid).values())
        listening = [
            at.laddr
            for pid in (os.getpid(), *pids)
            for at in psutil.Process(pid).net_connections()
            if at.status == "LISTEN"
        ]
        os.kill(pids[0], signal.SIGSTOP)  # it does not listen when it is told to end
    assert found == [16, 243]
    assert {at.ip for at in listening} == {"127.0.0.1"}
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert list(tmp_path.iterdir()) == []
    for at in listening:
        with socket.socket() as probe:
            assert probe.connect_ex((at.ip, at.port)) != 0
