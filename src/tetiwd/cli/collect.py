"""``tetiwd collect``: from chains that were run as jobs to results."""

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.command import command
from tetiwd.cli.console import Console
from tetiwd.cli.fit import deliver, watcher_for
from tetiwd.cli.guests import additions
from tetiwd.cli.signals import signals_as_interrupt


@command()
def collect(run_folder: o.Folder, *, n_threads: o.Threads = None, strict: o.Strict = False, console: Console) -> None:
    """Join the chains that fit --chain has run, and write the results of the run.

    They are those of a run in one process. If chains have not come far enough, it says which and ends with exit code
    10. Example:

      tetiwd fit data.csv --time year --out run --chain 1 && tetiwd fit data.csv --time year --out run --chain 2 ...

      tetiwd collect run
    """
    from tetiwd.chain_jobs import Unfinished
    from tetiwd.chain_jobs import collect as join

    added = additions(run_folder)
    with signals_as_interrupt():
        found = join(
            run_folder,
            n_threads=n_threads,
            sections=added.sections,
            show_ids=added.show_ids,
            watcher=watcher_for(console),
        )
    if not isinstance(found, Unfinished):
        deliver(found, console, run_folder, strict=strict)
        return
    draws = ", ".join(map(str, found.n_draws))
    console.say(f"Chains have {draws} draws, and {found.wanted} of each are needed before the run can end or go on.")
    console.say(f"Run again: {', '.join(f'--chain {number}' for number in found.behind)}")
    console.result({"n_draws": found.n_draws, "wanted": found.wanted, "behind": found.behind})
    raise typer.Exit(exit_codes.UNFINISHED)
