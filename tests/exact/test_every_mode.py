"""Same seed, same draws: in every mode of the sampler, however a run is carried out."""

import pytest
from verification.checks import determinism

from every_mode import modes


@pytest.mark.slow
@pytest.mark.parametrize("mode", [name for name, *_ in modes()])
def test_draws_do_not_depend_on_threads_executors_or_interruptions(mode):
    hashes = determinism.run(mode)
    assert len(hashes) > 4
    assert len(set(hashes.values())) == 1, hashes
