"""Messages in the words of the command line: settings become options, and strange characters become visible.

Readers and models speak of settings, which is right for a settings file: ``set symmetrize = "mean"``. Whoever types a
command needs the option: ``add --symmetrize``.
"""

import re

SAME_NAME: tuple[str, ...] = (
    "format",
    "metric",
    "columns",
    "id",
    "time",
    "times",
    "by",
    "objects",
    "squared",
    "standardize",
    "cross",
)
SAME_NAME += ("symmetrize", "dof", "xi", "loss", "links", "seed", "level", "window", "aligned", "resolution", "date")
NO_OPTION = {
    "data": ("first", "second", "distance", "obsp", "min_objects", "dtype", "repair"),
    "model": ("df_A", "alpha", "new_scale", "geometry", "coupling"),
    "sampler": ("geometry_every",),
}
OPTIONS = {
    **{name: f"--{name}" for name in SAME_NAME},
    **{name: f"--set {table}.{name}" for table, names in NO_OPTION.items() for name in names},
    "kind": "--similarities",
    "drop_small": "--drop-small",
    "missing": "--drop-missing",
    "max_clusters": "--max-clusters",
    "at_most": "--at-most",
    "n_chains": "--chains",
    "n_warmup": "--warmup",
    "n_draws": "--draws",
    "n_threads": "--threads",
    "n_next": "--n-next",
    "date_format": "--date-format",
    "n_repeats": "--repeats",
}
SWITCHES = {  # settings with a value that one word stands for
    'kind = "similarities"': "--similarities",
    'kind = "distances"': "no --similarities",
    'symmetrize = "mean"': "--symmetrize",
    'missing = "drop"': "--drop-missing",
    "squared = true": "--squared",
    "squared = false": "--plain",
    "cross = true": "--cross",
    "standardize = true": "--standardize",
    "drop_small = true": "--drop-small",
}
PHRASES = {
    'set kind = "distances", and squared': "leave out --similarities, and add --squared or --plain",
    "say with date_format how": "say with --date-format how",
    "or name the column with date": "or name the column with --date",
    "squared is not given: say": "it is not said whether distances are squared: add",
    "or overwrite it": "or add --overwrite",
    "with resume": "with tetiwd resume",
    "(n_chains)": "(--chains)",
    "(n_draws)": "(--draws)",
    "sample with geometry_every=10, say": "run fit again with --set sampler.geometry_every=10",
    "the sample was run with coupling=False": "the run was made with --set model.coupling=false",
    "run it with True": "run fit again without it",
    'call repair("shift") or repair("clip") first': "add --set data.repair=shift or --set data.repair=clip",
}

_NAME = rf"(?P<name>{'|'.join(sorted(OPTIONS, key=len, reverse=True))})"
_SWITCH = re.compile("|".join(rf"\b{re.escape(switch)}(?!\w)" for switch in SWITCHES))
_VALUE = re.compile(rf"\b{_NAME} = (?P<value>\"[^\"]*\"|\[[^\]]*\]|[-+.\w]+)")
_REMEDY = re.compile(
    r"(?P<before>leave out |say with |it with |one with |of times with |of dates with |the ids with |to use with |"
    rf"the epochs with |the others with |a longer |a smaller ){_NAME}(?=$|[,;]| to use| what| how| \()"
)
_SUBJECT = re.compile(
    rf"(?P<before>^|: | but |, which ){_NAME}(?= (?:names|is for|is about|goes with|has \d+ (?:labels|values)))"
)
_SWITCHED = re.compile(rf"^({'|'.join(sorted({switch.split()[0] for switch in SWITCHES}))})(?= must)")
_VALUED = re.compile(rf"(?P<before>^){_NAME}(?= must)")
_LEFT_OUT = re.compile(rf"(?P<before>leave ){_NAME}(?= out\b)")
_IN_SETTINGS_FILE = re.compile(r"[^;]*\.toml: ")


def in_words_of_options(message: str) -> str:
    """An error with options where it speaks of settings, unless it is about a file of settings."""
    if _IN_SETTINGS_FILE.match(message):
        return message
    for phrase, words in PHRASES.items():
        message = message.replace(phrase, words)
    message = _SWITCH.sub(lambda found: SWITCHES[found.group()], message)
    message = _VALUE.sub(_with_value, message)
    message = _SWITCHED.sub(r"--set data.\1", message)  # no option gives these a wrong value
    for pattern in (_REMEDY, _SUBJECT, _VALUED, _LEFT_OUT):
        message = pattern.sub(lambda found: found["before"] + OPTIONS[found["name"]], message)
    return re.sub(r"\bset (?=--)", "add ", message)


def visible(text: str) -> str:
    """Text that cannot play tricks on a terminal: control and direction marks are shown as codes."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str, longest_word: int = 300) -> str:
    """Text without line breaks; the middle of very long words is left out."""
    half = longest_word // 2
    words = (word if len(word) <= longest_word else f"{word[:half]}…{word[-half:]}" for word in visible(text).split())
    return " ".join(words)


def _with_value(found: re.Match[str]) -> str:
    option, value = OPTIONS[found["name"]], found["value"].strip('"')
    if value.startswith("["):
        return option
    return f"{option}={value}" if option.startswith("--set") else f"{option} {value}"
