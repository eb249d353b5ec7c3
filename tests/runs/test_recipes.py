"""The recipes of docs/cluster: executors of others, and the very commands for Kubernetes as processes of this machine."""

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from dask_cluster import QUIET, SECONDS, _answers, _free_port

from puzzlesat.studies.coordinator import run_study
from puzzlesat.studies.opening import open_to_read
from puzzlesat.studies.tables import table

yaml = pytest.importorskip("yaml", reason="Dask brings it: pip install '.[cluster]'")
pytest.importorskip("distributed", reason="what is done on a cluster is tried with Dask: pip install '.[cluster]'")

STUDY = """
name = "small"
audit = 1
[[puzzles]]
from = ["soma"]
[[steps]]
find = "count"
"""
FOLDER = Path(__file__).parents[2] / "docs" / "cluster"
PARTS = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def commands():
    """The command of each part that runs something, by its name."""
    pods = {part["metadata"]["name"]: part["spec"]["template"]["spec"] for part in PARTS if "template" in part["spec"]}
    return {name: pod["containers"][0]["command"] for name, pod in pods.items()}


def test_what_belongs_together_has_the_same_names():
    kinds = {(part["kind"], part["metadata"]["name"]): part["spec"] for part in PARTS}
    service = kinds["Service", "scheduler"]
    for name in ("scheduler", "worker"):
        spec = kinds["Deployment", name]
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    assert service["selector"] == kinds["Deployment", "scheduler"]["template"]["metadata"]["labels"]
    job = kinds["Job", "coordinator"]["template"]["spec"]
    assert {volume["name"] for volume in job["volumes"]} == {mount["name"] for mount in job["containers"][0]["volumeMounts"]}
    assert ("PersistentVolumeClaim", job["volumes"][0]["persistentVolumeClaim"]["claimName"]) in kinds


@pytest.mark.slow
def test_its_commands(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    port = str(_free_port())
    here = {"scheduler:8786": f"127.0.0.1:{port}", "8786": port, "/study/study.toml": "study.toml", "/tmp": str(tmp_path)}
    own = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(sys.path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with ExitStack() as stack:
        for name, command in commands().items():
            for word, instead in here.items():
                command = [part.replace(word, instead) for part in command]
            process = stack.enter_context(subprocess.Popen(command, cwd=tmp_path, env=own, stdout=subprocess.PIPE, text=True))
            if name != "coordinator":
                stack.callback(process.kill)
            until = time.monotonic() + SECONDS
            while name == "scheduler" and not _answers(f"tcp://127.0.0.1:{port}") and time.monotonic() < until:
                time.sleep(0.1)
        said, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert "480 distinct" in said


@pytest.mark.full
def test_executorlib(tmp_path):
    executorlib = pytest.importorskip("executorlib", reason="one of the executors that docs/cluster.md shows: pip install executorlib")
    (tmp_path / "study.toml").write_text(STUDY)
    with executorlib.SingleNodeExecutor(max_workers=2, block_allocation=True) as executor:
        end = run_study(tmp_path / "study.toml", tmp_path / "study.sqlite", executor=executor, jobs=2)
    assert end.complete
    with open_to_read(tmp_path / "study.sqlite") as store:
        (row,) = table(store)
        assert (row.all, row.distinct) == (11520, 480)
