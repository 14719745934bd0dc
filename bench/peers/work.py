"""What a row of a comparison is."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Work:
    """One row of the table. `flop` and `bytes` are of one call: the arithmetic of the definition and compulsory traffic."""
    name: str
    kind: str
    sizes: tuple
    flop: float = 0
    bytes: float = 0
    calls: int = 1  # calls in one timed sample, for work too short for the clock
    queued: bool = False  # the worker makes the calls of a sample itself and waits for the device once, behind the last
    quick: bool = False


@dataclass(frozen=True)
class Once:
    """Work that needs a fresh process for each sample. `what` is the figure taken from it: `inner` the seconds that the worker
    reports, `process` the process from its start to its end, `memory` its peak of resident memory."""
    name: str
    kind: str
    sizes: tuple
    what: str
    null_device: bool = False  # schedule and lower, run nothing
    threads: tuple = field(default=())  # only with these numbers of threads; none named: all
    quick: bool = False
