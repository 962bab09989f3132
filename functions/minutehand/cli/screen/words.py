"""Numbers with their nouns."""


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 job`, `1,200 jobs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def runs_a_day(added: str, removed: str) -> str:
    """The average number of runs a day that an edit adds and removes, from the two numbers."""
    return f"adds {added} {'run' if added == '1' else 'runs'} a day, removes {removed}"


def rounded(number: float) -> str:
    """A number with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
