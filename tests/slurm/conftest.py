"""A SLURM of one machine, on the loopback interface and in a temporary folder; ends with the test."""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol")
PATHS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
CONFIG = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
KillWait=5
MinJobAge=300
OverTimeLimit=0
ReturnToService=2
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Commands of a running SLURM."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": PATHS}

    def run(self, *command: str) -> str:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}{self.logs()}"
        return done.stdout

    def wait(self, seconds: float, *, for_what) -> None:
        end = time.monotonic() + seconds
        while not for_what():
            assert time.monotonic() < end, f"{self.run('squeue', '--all', '--states=all')}{self.logs()}"
            time.sleep(0.5)

    def is_idle(self) -> bool:
        return not self.run("squeue", "--noheader").strip()

    def logs(self) -> str:
        return "".join(f"\n{log.name}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))


@pytest.fixture
def slurm(tmp_path_factory):
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATHS) is None]
    if missing or os.name != "posix":
        pytest.skip(f"NO REAL SLURM HERE: {', '.join(missing)} not found; install slurmctld, slurmd and munge")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    config = CONFIG.format(user=getpass.getuser(), folder=folder, ports=free_ports(2))
    (folder / "slurm.conf").write_text(config)
    found = Slurm(folder)
    daemons = []
    try:
        daemons.append(start(found, "munged", "--force", "--foreground", f"--key-file={key}",
                             f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                             f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"))  # fmt: skip
        found.wait(10, for_what=(folder / "munge.socket").exists)
        daemons.append(start(found, "slurmctld", "-D", "-c", "-f", str(folder / "slurm.conf")))
        daemons.append(start(found, "slurmd", "-D", "-c", "-N", "localhost", "-f", str(folder / "slurm.conf")))
        found.wait(60, for_what=lambda: is_up(found))
        yield found
        subprocess.run(["scancel", "--user", getpass.getuser()], env=found.environment, check=False)
    finally:
        for daemon in reversed(daemons):
            end(daemon)


def start(slurm: Slurm, *command: str) -> "subprocess.Popen[bytes]":
    log = open(slurm.folder / f"{command[0]}.out.log", "wb")  # noqa: SIM115  # belongs to the daemon
    with log:
        return subprocess.Popen(command, env=slurm.environment, stdout=log, stderr=log, start_new_session=True)


def is_up(slurm: Slurm) -> bool:
    done = subprocess.run(["sinfo", "--noheader", "--format=%T"], env=slurm.environment, capture_output=True, text=True)
    return done.stdout.strip() == "idle"


def end(daemon: "subprocess.Popen[bytes]") -> None:
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(15)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def free_ports(n: int) -> list[int]:
    sockets = [socket.socket() for _ in range(n)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
