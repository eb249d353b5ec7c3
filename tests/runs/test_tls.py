"""A cluster that speaks TLS, set up by the lines that docs/cluster.md has for it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dask.config
import pytest
from dask_cluster import SECONDS, cluster
from test_recipes import STUDY

pytest.importorskip("distributed", reason="what is done on a cluster is tried with Dask: pip install '.[cluster]'")

PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text()
MAKES_THEM = re.search(r"```sh\n(openssl req -x509.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the certificates."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made by openssl")
    made = tmp_path_factory.mktemp("tls")
    subprocess.run(["sh", "-ec", MAKES_THEM[1]], cwd=made, check=True, capture_output=True)
    (made / "study.toml").write_text(STUDY)
    return made


def run(folder, address, **environment):
    """Run a study of one puzzle."""
    command = (sys.executable, "-m", "puzzlesat", "run", "study.toml", "--dask", address)
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=SECONDS, check=False)


@pytest.mark.slow
def test_a_cluster_that_speaks_tls(folder):
    exported = re.search(r"^export (DASK_DISTRIBUTED__COMM__TLS.*)$", PAGE, re.MULTILINE)[1]
    environment = dict(pair.split("=") for pair in exported.split())
    files = {"ca-file": "ca.pem", "client.cert": "coordinator.pem", "client.key": "coordinator-key.pem"}
    here = {f"distributed.comm.tls.{key}": str(folder / name) for key, name in files.items()}
    with dask.config.set(here), cluster(folder, workers=1, tls=True) as there:
        refused = run(folder, there.address)
        assert refused.returncode == 2
        assert "no scheduler answers there" in " ".join(refused.stderr.split())
        unsafe = run(folder, there.address.replace("tls", "tcp"), **environment)
        assert unsafe.returncode == 2
        ran = run(folder, there.address, **environment)
        assert ran.returncode == 0, ran.stderr
        assert "480 distinct" in ran.stdout
