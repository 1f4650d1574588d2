"""Slurm with two nodes of one CPU on this one machine, of Debian's packages, in a folder of its own.

The nodes are two daemons on ports of their own; nothing of the machine's own Slurm or MUNGE, if it has them, is used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGES = "munge slurm-client slurmctld slurmd"
PROGRAMS = ("munged", "mungekey", "sbatch", "slurmctld", "slurmd")
NODES = ("node1", "node2")

CONFIGURATION = """
ClusterName=anim_curves
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
SlurmdTimeout=30
MailProg=/bin/true
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=2000
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=2000
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why no Slurm can be run here, as a sentence; empty if it can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "a cluster of one machine needs root, on Debian or Ubuntu"
    if not os.path.exists("/proc/self"):
        return "a cluster of one machine needs /proc, where Slurm looks for what its tasks have started"
    if not all(map(shutil.which, PROGRAMS)):
        return f"needs Slurm: apt-get install --no-install-recommends {PACKAGES}"
    return ""


def wait_for(what: str, true: Callable[[], bool], seconds: float) -> None:
    """Come back when `true` is; TimeoutError, with what was waited for, after so many seconds."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.5)


class Slurm:
    """The cluster, from `start` to `stop`.

    Attributes:
        environment: for the programs that talk to it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self) -> None:
        """Start everything; comes back when both nodes wait for work."""
        (self._folder / "state").mkdir(parents=True)
        text = CONFIGURATION.format(folder=self._folder, host=socket.gethostname().split(".")[0], ports=_free_ports(3))
        (self._folder / "slurm.conf").write_text(text, encoding="ascii")
        self._start_munge()
        self._call("slurmctld")
        for node in NODES:
            self.start_node(node)
        wait_for("two idle nodes", lambda: self.say("sinfo", "--noheader", "-N", "-o", "%T") == "idle\nidle", 60)

    def start_node(self, node: str) -> None:
        """Switch a node on."""
        self._call("slurmd", "-N", node)

    def stop(self) -> None:
        """End everything that was started."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.say("scancel", "--user=root")
            wait_for("an end of all work", lambda: not self.say("squeue", "--noheader"), 30)
        for name in ("slurmd-node1", "slurmd-node2", "slurmctld", "munge"):
            for process in self._processes_of(name):
                _end(process, signal.SIGTERM)

    def workers(self, node: str) -> list[int]:
        """Find the processes of the work that a node has been given."""
        return [process for process in _all_processes() if self._works_on(process, node)]

    def is_down(self, node: str) -> bool:
        """Tell whether Slurm has given up a node."""
        return self.say("sinfo", "--noheader", f"--nodes={node}", "--format=%T").startswith("down")

    def cut_power(self, node: str) -> int:
        """End a node and all that works on it at once, as a cut of its power would; how many processes that were."""
        ours = self._processes_of(f"slurmd-{node}")
        workers = self.workers(node)
        stewards = {parent for parent in map(_parent, workers) if parent not in workers and parent > 1}
        doomed = [*ours, *stewards, *workers]
        for process in doomed:
            _end(process, signal.SIGKILL)
        return len(doomed)

    def say(self, *call: str) -> str:
        """What one of Slurm's programs prints."""
        run = subprocess.run(call, env=self.environment, check=True, capture_output=True, text=True)
        return run.stdout.strip()

    def log(self, name: str) -> str:
        """Read what one of Slurm's daemons has written down."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _start_munge(self) -> None:
        key, file = self._folder / "munge.key", f"{self._folder}/munge"
        self._folder.chmod(0o755)
        self._call("mungekey", "--create", f"--keyfile={key}")
        options = (f"--socket={file}.socket", f"--pid-file={file}.pid", f"--log-file={file}.log")
        self._call("munged", "--force", f"--key-file={key}", f"--seed-file={file}.seed", *options)

    def _call(self, *call: str) -> None:
        subprocess.run(call, env=self.environment, check=True, stdin=subprocess.DEVNULL)

    def _processes_of(self, name: str) -> Iterator[int]:
        with contextlib.suppress(OSError, ValueError):
            yield int((self._folder / f"{name}.pid").read_text(encoding="ascii"))

    def _works_on(self, process: int, node: str) -> bool:
        with contextlib.suppress(OSError):
            environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            wanted = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self._folder}/slurm.conf".encode()}
            return wanted <= set(environment)
        return False


def _all_processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _parent(process: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return 0


def _end(process: int, how: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, how)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
