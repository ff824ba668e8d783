"""One colour per lineage, the same in every picture, to be told apart by colour-blind people, too."""

from tetiwd.summarize.naming import given_colour, lineage_name

GREY = "#8A8F98"  # lineages that share one block
LONGEST_TAG = 14  # letters
BLACK, WHITE = "#000000", "#FFFFFF"

# Rows go through ten hues. The first ten stay apart for all common kinds of colour blindness; later rows repeat the
# hues at another lightness and get stripes as well. All are seen on white and on black.
_COLOURS = (
    *("#2B6CB8", "#E0691A", "#0F9D78", "#B573B0", "#E3A823", "#74B3EE", "#7A4318", "#5B3A8A", "#A83A5C", "#8A7BF0"),
    *("#0F46B9", "#C8AF9B", "#00B469", "#87508C", "#9B5F0F", "#8CAABE", "#B4694B", "#825FE1", "#960A5F", "#9B8CDC"),
    *("#A5BED7", "#E6874B", "#0A8C7D", "#9169A0", "#DCB46E", "#699BFF", "#8C502D", "#A06ECD", "#AF8C9B", "#69469B"),
    *("#375073", "#69463C", "#00CDB4", "#A541AF", "#B9A087", "#2355C8", "#B97D4B", "#8C7D96", "#B4505F", "#AA96D2"),
)
_PER_ROW = 10


def lineage_colour(lineage: int) -> str:
    """The colour of a lineage in all figures: 40 different ones, then from the start again.

    Inside ``tetiwd.summarize.naming.named`` it is the colour that a user gave it.

    Parameters
    ----------
    lineage : int
        Its number.

    Returns
    -------
    str
        The colour as "#RRGGBB"; grey for numbers below 0.

    Examples
    --------
    >>> from tetiwd.plots import lineage_colour
    >>> lineage_colour(0)
    '#2B6CB8'
    """
    own = given_colour(lineage)
    if own is not None:
        return own
    return _COLOURS[lineage % len(_COLOURS)] if lineage >= 0 else GREY


def lineage_tag(lineage: int) -> str:
    """What a picture writes on a lineage: its number, or the beginning of the name that a user gave it."""
    name = lineage_name(lineage)
    short = name if len(name) <= LONGEST_TAG else f"{name[: LONGEST_TAG - 1]}…"
    return short.replace("$", r"\$")


def lineage_stripes(lineage: int) -> int:
    """How many stripes a block of this lineage has: none for lineages 0 to 9, one for 10 to 19, up to three."""
    return lineage // _PER_ROW % (len(_COLOURS) // _PER_ROW) if lineage >= 0 else 0


def text_colour(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour; the contrast is at least 4.58, and 4.5 is asked for."""
    return max(BLACK, WHITE, key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Contrast of two colours by the Web Content Accessibility Guidelines, from 1 to 21."""
    dark, light = sorted(_luminance(colour) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
