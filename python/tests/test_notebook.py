"""The notebook of the examples, executed from its first cell to its last without a browser."""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples" / "python.ipynb"


def outputs(notebook):
    """What all cells have given, by MIME type; text that was printed as `printed`."""
    given = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            given.setdefault("printed", []).append(output.get("text", ""))
            for kind, data in output.get("data", {}).items():
                given.setdefault(kind, []).append(data)
    return given


def test_the_notebook_runs_and_shows_pictures(tmp_path, monkeypatch):
    # The kernel of this interpreter, whatever kernels the user has.
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=None, kernel_name="python3")
    client.create_kernel_manager().kernel_spec.argv[0] = sys.executable
    client.execute()
    given = outputs(notebook)
    assert "optimal: True" in "".join(given["printed"])
    assert "the layout takes the bytes" in "".join(given["printed"])
    assert any(picture.startswith("<svg") for picture in given["image/svg+xml"])
    assert any("<pre>" in page for page in given["text/html"])


def test_the_notebook_in_the_repository_has_no_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
