"""What is said of the fields of a comparison, and whether it has failed: the same for all of them."""

import dataclasses
import json
from pathlib import Path

from compare import Field
from differences import DOCUMENT, told_rows
from mutants import survivors
from verdicts import Judge, Verdict

EQUAL = 0.97  # Of all fields, at least.
MOST_EXPLAINED = 0.03
MOST_FREE = 0.01  # Explained by rules that say nothing of what Berth has to print.


def record(path, fields):
    Path(path).write_text(json.dumps([dataclasses.asdict(field) for field in fields], indent=0))


def recorded(path):
    return [Field(**{**field, "head": tuple(field["head"])}) for field in json.loads(Path(path).read_text())]


def judged(fields, judge, show_all):
    """Verdict → its fields. Says those that are not explained, and all that are if `show_all`."""
    found = {verdict: [] for verdict in Verdict}
    for field in fields:
        verdict = judge.verdict(field)
        found[verdict].append(field)
        if verdict is Verdict.UNEXPLAINED or (show_all and verdict is Verdict.EXPLAINED):
            print(f"  {verdict.value}: {field}")
    return found


def faults_of_rules(judge, rules):
    """Says which of `rules` no row of the document tells, and which explain nothing in these fields."""
    untold = sorted({rule.row for rule in rules} - told_rows())
    for row in untold:
        print(f"  NOT IN {DOCUMENT.name}: {row}")
    idle = [rule for rule in judge.idle() if rule in rules]
    for rule in idle:
        print(f"  EXPLAINS NOTHING: {rule}")
    return len(untold) + len(idle)


def report(fields, show_all, judge, rules):
    """The exit status. `rules`: those that have to be told and to explain something; `judge` may have more."""
    found = judged(fields, judge, show_all)
    faults = faults_of_rules(judge, rules)
    used = len(judge.used)
    unnoticed, tried = survivors(fields, Judge(judge.context, judge.rules, judge.owns, judge.free))
    for mutant in unnoticed:
        print(f"  A WRONG VALUE IS NOT NOTICED: {mutant}")
    own, explained, wrong = (len(found[verdict]) for verdict in (Verdict.OWN, Verdict.EXPLAINED, Verdict.UNEXPLAINED))
    compared = len(fields) - own
    equal, mapped = len(found[Verdict.EQUAL]), len(found[Verdict.MAPPED])
    print(f"{own} fields are {Verdict.OWN.value}; they are left out of the rest")
    print(f"of {compared} fields {equal + mapped} are equal: {100 * (equal + mapped) / compared:.1f} % (asked: {100 * EQUAL:.0f}); "
          f"{mapped} of them {Verdict.MAPPED.value}")
    print(f"{explained} are {Verdict.EXPLAINED.value}: {100 * explained / compared:.1f} % (at most {100 * MOST_EXPLAINED:.0f}), "
          f"by {used} of {len(judge.rules)} rules")
    print(f"{wrong} are {Verdict.UNEXPLAINED.value}; {len(unnoticed)} of {tried} wrong values were not noticed")
    free = sum(judge.is_free(field) for field in found[Verdict.EXPLAINED]) if judge.free else 0
    if judge.free:
        print(f"{free} of the explained may have any value: {100 * free / compared:.1f} % (at most {100 * MOST_FREE:.0f})")
    few = equal + mapped < EQUAL * compared or explained > MOST_EXPLAINED * compared or free > MOST_FREE * compared
    return 1 if wrong or faults or unnoticed or few else 0
