"""TeTiWD and TiWD in scikit-learn's conventions. No mathematics here: data in, a run, answers out."""

from tetiwd.estimators.evolving import TeTiWD
from tetiwd.estimators.static import TiWD

__all__ = ["TeTiWD", "TiWD"]
