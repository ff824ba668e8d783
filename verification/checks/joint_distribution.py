"""Geweke's test at length: sweeps and fresh data in turn must leave the joint distribution alone, in every model."""

from dataclasses import replace

from benchmarks.table import Row

from verification.check import Check, Found, Job

LENGTH, FEW = 10_000, 1_000
LARGEST_Z = 4.5
LINKED = ("full", "isotropic", "at most four clusters", "kappa learned", "kappa learned, at most four clusters")
SPREADS = ("df_A learned", "own spreads", "own spreads, isotropic")
NODES = ("moving centres", "moving centres, equal spreads", "moving centres, displaced times", "pooled centres")


def jobs(few: bool) -> list[Job]:
    """Every model, with distances and, where that is possible, with similarities."""
    n = FEW if few else LENGTH
    cases = [(model, kind, True) for kind in ("distances", "similarities") for model in LINKED]
    cases += [(model, "distances", True) for model in (*SPREADS, *NODES)]
    cases += [(model, "distances", False) for model in ("full", "isotropic")]
    names = {case: f"{case[0]}, {case[1]}{'' if case[2] else ', not coupled'}" for case in cases}
    keys = ("model", "kind", "coupled")
    return [Job(names[case], dict(zip(keys, case, strict=True)) | {"n": n}) for case in cases]


def run(model: str, kind: str, coupled: bool, n: int) -> Found:
    """Standardised differences of all quantities between the two simulators."""
    if model in NODES:
        import lineage_geweke as moving
        from lineage_worlds import ALL_FREE
        from tetiwd import Hyperparameters

        still = {name: prior for name, prior in ALL_FREE.items() if name != "rho"}
        pooled = Hyperparameters(dof=3, geometry="pooled", **still)
        h = dict(zip(NODES, (moving.ALL, moving.EQUAL_SPREADS, moving.DISPLACED, pooled), strict=True))[model]
        return {"z": {name: float(z) for name, z in moving.z_scores(h, n).items()}}
    import geweke

    h = replace(geweke.MODELS[model], coupling=coupled)
    return {"z": {name: float(z) for name, z in geweke.z_scores(h, kind, n).items()}}


def rows(found: dict[str, Found]) -> list[Row]:
    """The largest difference of every case."""
    table = []
    for case, one in found.items():
        worst = max(one["z"], key=lambda name: abs(one["z"][name]))
        z = one["z"][worst]
        value = f"largest |z| {abs(z):.2f} of {len(one['z'])} ({worst})"
        table.append(Row(f"Geweke: {case}", value, f"< {LARGEST_Z}", abs(z) < LARGEST_Z))
    return table


CHECK = Check(
    "Joint distribution (Geweke)",
    f"The means of many quantities are compared between {LENGTH:,} draws from the model and twice as many sweeps, each "
    "followed by fresh data; differences are in standard errors.",
    jobs,
    run,
    rows,
    inner=True,
)
