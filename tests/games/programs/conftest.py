"""How long programs are compared with their graphs here."""

import pytest

from analysis.games.programs import exploring


@pytest.fixture(scope="session", autouse=True)
def hasty():
    """Programs are compared with their graphs for a moment only; `test_traps` takes the time that users have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploring, "LEAST_CONFIRMED", 0.05)
        yield
