"""How many texts the published corpora hold, to notice a copy that differs."""

from __future__ import annotations

from dataclasses import dataclass

from hardtext.domains.rows import Splits


@dataclass(frozen=True, slots=True)
class Sizes:
    """Texts per split, and the publication that says so."""

    train: int
    attack: int
    dev: int
    said_by: str


_OVERVIEW = "overview of InCrediblAE, CheckThat! 2024 Task 6, table of dataset sizes"

SIZES = {
    "hn": Sizes(60235, 400, 3600, _OVERVIEW),
    "pr": Sizes(12675, 416, 3320, _OVERVIEW),
    "fc": Sizes(172763, 405, 19010, _OVERVIEW),
    "rd": Sizes(8694, 415, 2070, _OVERVIEW),
    "c19": Sizes(1130, 595, 0, _OVERVIEW),
    "liar": Sizes(10269, 1283, 1284, "Wang 2017"),
    # 14,169 titles to train on and 6,073 to test, the latter drawn from by the rule of sampling.py
    "kaggle": Sizes(14169, 405, 5668, "Flores and Hao, split of the labelled titles"),
}


def differences(splits: Splits, sizes: Sizes) -> str:
    """What differs from the published sizes, with both numbers; empty where nothing does."""
    counts = [(name, len(getattr(splits, name)), getattr(sizes, name)) for name in ("train", "attack", "dev")]
    parts = [f"{found:,} {name} texts (published: {said:,})" for name, found, said in counts if found != said]
    return f"{', '.join(parts)}; {sizes.said_by}" if parts else ""
