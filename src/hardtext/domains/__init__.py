"""Where texts and labels come from: one settings class a domain, by the name used on the command line."""

from __future__ import annotations

from hardtext.domains.base import DomainSettings
from hardtext.domains.c19 import C19Domain
from hardtext.domains.fc import FCDomain
from hardtext.domains.hn import HNDomain
from hardtext.domains.kaggle import KaggleDomain
from hardtext.domains.liar import Liar2Domain, Liar6Domain
from hardtext.domains.pr import PRDomain
from hardtext.domains.rd import RDDomain
from hardtext.domains.sample import SampleDomain
from hardtext.domains.user_file import FileDomain

DOMAINS: dict[str, type[DomainSettings]] = {
    "sample": SampleDomain,
    "hn": HNDomain,
    "pr": PRDomain,
    "fc": FCDomain,
    "rd": RDDomain,
    "c19": C19Domain,
    "liar2": Liar2Domain,
    "liar6": Liar6Domain,
    "kaggle": KaggleDomain,
    "file": FileDomain,
}

__all__ = ["DOMAINS", "DomainSettings"]
