"""What tests of runs share: the path of a store, and one Dask cluster for all of a worker."""

import pytest
from dask_cluster import cluster


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a study.sqlite"


@pytest.fixture(scope="session")
def there(tmp_path_factory):
    """A cluster of two workers, one of which plays tricks when told to; whatever of it is killed is there again after a while."""
    with cluster(tmp_path_factory.mktemp("cluster"), hostile=1) as running:
        running.keep()
        yield running
