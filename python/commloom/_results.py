"""What the command ``commloom`` measures and finds, as rows of Python."""

import functools
import html
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sysconfig
import tempfile


class Table(list):
    """Rows, each a ``dict`` with the same keys."""

    @property
    def columns(self):
        """The keys of the rows, in order."""
        return list(self[0]) if self else []

    def to_pandas(self):
        """The rows as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)

    def _repr_html_(self):
        cells = lambda tag, values: "".join(
            f"<{tag}>{html.escape(str(value))}</{tag}>" for value in values
        )
        rows = "".join(f"<tr>{cells('td', row.values())}</tr>" for row in self)
        return f"<table><tr>{cells('th', self.columns)}</tr>{rows}</table>"


@functools.cache
def _command():
    """The command that was installed with this package, or else that of the search path."""
    beside = pathlib.Path(sysconfig.get_path("scripts"), "commloom")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("commloom")
    if found is None:
        raise FileNotFoundError(f"the command commloom is neither in {beside.parent} nor in PATH")
    return found


def _options(options):
    """``mpi="openmpi", quick=True`` as ``--mpi openmpi --quick``; a sequence is a list of values."""
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            yield name
        elif value is not None and value is not False:
            given = value if isinstance(value, (list, tuple)) else [value]
            yield f"{name}={','.join(map(str, given))}"


def _run(*arguments):
    ended = subprocess.run([_command(), *arguments], capture_output=True)
    # 1: the answer is no. It is an answer.
    if ended.returncode not in (0, 1):
        raise RuntimeError(ended.stderr.decode(errors="replace").strip())
    return ended.stdout


def guidelines(results=None, **options):
    """The times of the guidelines' benchmark: of a file of ``commloom guidelines --json``, or
    measured now, with its options (``guidelines(quick=True, mpi="openmpi")``, some minutes).

    A row for each library, layout, operation, method and mode (``native``, ``commloom``): the
    median of all launches, the quartiles, and how many exchanges were measured.
    """
    with tempfile.TemporaryDirectory() as folder:
        if results is None:
            results = pathlib.Path(folder, "results.json")
            _run("guidelines", f"--json={results}", *_options(options))
        elif options:
            raise TypeError("a file of results has its options already")
        with open(results, "rb") as file:
            text = file.read()
    if text[:4] == b"\x28\xb5\x2f\xfd":
        raise ValueError(f"{results} is compressed: zstd --decompress {results}")
    measured = json.loads(text)
    if measured.get("format") != "commloom-guidelines":
        raise ValueError(f"{results} is no file of commloom guidelines --json")
    runs = measured["runs"]
    cases = [case for run in runs for case in run["cases"]]
    parameters = dict.fromkeys(name for case in cases for name in case["parameters"])
    return Table(_row(run, series, parameters) for run in runs for series in run["series"])


def _row(run, series, parameters):
    case = run["cases"][series["case"]]
    times = [time for launch in series["launches"] for time in launch["samples_us"]]
    # One time alone has no quartiles.
    quartiles = statistics.quantiles(times, n=4) if len(times) > 1 else [None, *times, None]
    low, median, high = quartiles if times else [None] * 3
    return {
        "library": f"{run['library']['kind']} {run['library']['version']}",
        "processes": run["processes"],
        "tests": case["tests"],
        "layout": case["layout"],
        "variant": case["variant"],
        **{name: case["parameters"].get(name) for name in parameters},
        "role": case["role"],
        "type": case["type"],
        "bytes": case["bytes"],
        "operation": series["operation"],
        "method": series["method"],
        "mode": series["mode"],
        "median_us": median,
        "quartiles_us": (low, high),
        "exchanges": len(times),
    }


class Detection:
    """What ``commloom detect`` has found.

    ``graphs`` and ``advice`` are its JSON; ``operations`` and ``calls`` are tables of them.
    """

    def __init__(self, objects):
        self.graphs = [one for one in objects if "advice" not in one]
        self.advice = [advice for one in objects for advice in one.get("advice", [])]

    @property
    def operations(self):
        """A row for each collective operation of each graph."""
        keys = ("kind", "root", "processes", "count", "bytes_each", "in_place", "call")
        return Table(
            {"graph": at, **{key: found.get(key) for key in keys}}
            for at, graph in enumerate(self.graphs)
            for found in graph["collectives"]
        )

    @property
    def calls(self):
        """A row for each advice: where messages are sent, and what calls could do it."""
        return Table(
            {
                "kind": advice["kind"],
                "times": advice["times"],
                "messages": advice["messages"],
                "bytes": advice["bytes"],
                "sent": [place["name"] for place in advice["sent"]],
                "received": [place["name"] for place in advice["received"]],
                "code": "\n".join(advice["code"]),
                "withheld": advice["withheld"],
            }
            for advice in self.advice
        )

    def _repr_html_(self):
        return (self.calls if self.advice else self.operations)._repr_html_()


def detect(*files, **options):
    """The collective operations that messages add up to: of a folder of ``commloom trace`` or of
    files that ``commloom detect`` reads, with its options (``detect("trace", measure=True)``).
    """
    if not files:
        raise TypeError("detect needs a folder of commloom trace, or files of graphs")
    options = {"json": True, **options}
    out = _run("detect", *_options(options), "--", *(os.fspath(file) for file in files))
    return Detection([json.loads(line) for line in out.splitlines() if line.strip()])
