"""Diagnostics as JSON."""

from collections.abc import Sequence
from typing import Any

from tetiwd.sample import Sample


def diagnostics_as_json(sample: Sample, remarks: Sequence[str] = ()) -> dict[str, Any]:
    """Verdict and numbers; what is not finite is null."""
    diagnostics = sample.diagnostics
    return {
        "verdict": diagnostics.verdict,
        "converged": diagnostics.converged,
        "complete": sample.complete,
        "ended": sample.ended,
        "n_draws": min(map(len, sample.draws)),
        "n_discarded": sample.n_discarded,
        "remarks": [*sample.reasons, *sample.remarks, *remarks],
        "quantities": [
            {
                "name": quantity.name,
                "mean": _finite(quantity.mean),
                "r_hat": _finite(quantity.r_hat),
                "ess_bulk": _finite(quantity.ess_bulk),
                "ess_tail": _finite(quantity.ess_tail),
            }
            for quantity in diagnostics.quantities
        ],
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or not abs(value) < float("inf") else round(float(value), 6)
