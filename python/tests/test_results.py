"""The command's results as rows. The command is the first one of the search path.

Runs under pytest, and alone, as `cargo test` starts it with the command of the build.
"""

import json
import pathlib
import tempfile

import commloom
from test_standard_library import refused, run

GRAPH = pathlib.Path(__file__).parents[2] / "examples" / "detect" / "broadcast_tree.xml"
# Removed when Python ends.
ROOM = tempfile.TemporaryDirectory()


def measured(launches):
    """A file of results with one layout, which has been measured so often, in microseconds."""
    case = {
        "tests": [1, 3],
        "layout": "Tiled",
        "variant": None,
        "parameters": {"A": 2, "B": 3},
        "role": "layout",
        "type": "vector(4, 2, 3, MPI_INT)",
        "bytes": 32,
    }
    series = {"case": 0, "operation": "pingpong", "method": "typed", "mode": "native"}
    series["launches"] = [{"samples_us": times} for times in launches]
    contiguous = {"case": 1, **{key: series[key] for key in ("operation", "method", "mode")}}
    contiguous["launches"] = [{"samples_us": [2.0]}]
    run = {
        "library": {"kind": "MPICH", "version": "4.0.2"},
        "processes": 2,
        "cases": [case, {**case, "layout": "Contiguous", "parameters": {}}],
        "series": [series, contiguous],
    }
    return {"format": "commloom-guidelines", "version": 1, "runs": [run]}


def in_file(content):
    file = pathlib.Path(ROOM.name, "results.json")
    file.write_bytes(content)
    return file


def test_samples_of_all_launches_become_a_row():
    file = in_file(json.dumps(measured([[1, 2, 3], [4], [5, 6, 7]])).encode())
    tiled, contiguous = commloom.guidelines(file)
    assert (tiled["median_us"], tiled["quartiles_us"], tiled["exchanges"]) == (4, (2, 6), 7)
    assert (tiled["library"], tiled["A"], tiled["B"]) == ("MPICH 4.0.2", 2, 3)
    assert (contiguous["median_us"], contiguous["quartiles_us"]) == (2, (None, None))
    # What a layout has no parameter for is a hole, not another table.
    assert contiguous["A"] is None and list(contiguous) == list(tiled)


def test_what_is_no_file_of_results_is_refused():
    refused(ValueError, "no file of", lambda: commloom.guidelines(in_file(b"{}")))
    compressed = in_file(b"\x28\xb5\x2f\xfd")
    refused(ValueError, "is compressed", lambda: commloom.guidelines(compressed))
    refused(TypeError, "options already", lambda: commloom.guidelines(in_file(b"{}"), quick=True))


def test_a_graph_has_its_operations():
    found = commloom.detect(GRAPH)
    (operation,) = found.operations
    assert (operation["kind"], operation["graph"], found.calls) == ("bcast", 0, [])
    assert found.graphs[0]["claim"]["holds"]
    twice = commloom.detect(GRAPH, GRAPH, mode="strict", subsets=True)
    assert [row["graph"] for row in twice.operations] == [0, 1]
    assert "<th>kind</th>" in twice._repr_html_() and "MPI_Bcast(" in twice._repr_html_()


def test_errors_of_the_command_are_those_of_python():
    refused(TypeError, "folder of commloom trace", commloom.detect)
    refused(RuntimeError, "cannot read", lambda: commloom.detect("no such file"))
    refused(RuntimeError, "--never", lambda: commloom.detect(GRAPH, never=True))


def test_a_table_without_rows_has_no_columns():
    assert commloom.Table().columns == [] and "<table>" in commloom.Table()._repr_html_()


def test_pandas_gets_the_columns_in_order():
    try:
        import pandas
    except ImportError:
        return  # `make test-python` has it.
    table = commloom.detect(GRAPH).operations
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == table.columns


if __name__ == "__main__":
    run(globals())
