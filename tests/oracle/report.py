"""What is said of the fields of a comparison, and whether it has failed: the same for all of them."""

import dataclasses
import json
from pathlib import Path

from compare import Field
from differences import DOCUMENT, told_rows
from mutants import survivors
from verdicts import Judge, Verdict

# Shares of all fields: at least so many are equal; at most so many are explained, and explained by rules that say nothing of what Berth has to
# print. The last: of all wrong values, at most so many are not noticed.
BOUNDS = 0.97, 0.03, 0.0, 0.0


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


def report(fields, show_all, judge, rules, bounds=BOUNDS):
    """The exit status. `rules`: those that have to be told and to explain something; `judge` may have more."""
    least_equal, most_explained, most_free, most_unnoticed = bounds
    found = judged(fields, judge, show_all)
    faults = faults_of_rules(judge, rules)
    used = len(judge.used)
    unnoticed, tried = survivors(fields, Judge(judge.context, judge.rules, judge.owns, judge.free))
    for mutant in unnoticed if show_all or not most_unnoticed else ():
        print(f"  A WRONG VALUE IS NOT NOTICED: {mutant}")
    own, explained, wrong = (len(found[verdict]) for verdict in (Verdict.OWN, Verdict.EXPLAINED, Verdict.UNEXPLAINED))
    compared = len(fields) - own
    equal, mapped = len(found[Verdict.EQUAL]), len(found[Verdict.MAPPED])
    print(f"{own} fields are {Verdict.OWN.value}; they are left out of the rest")
    print(f"of {compared} fields {equal + mapped} are equal: {100 * (equal + mapped) / compared:.1f} % (asked: {100 * least_equal:.0f}); "
          f"{mapped} of them {Verdict.MAPPED.value}")
    print(f"{explained} are {Verdict.EXPLAINED.value}: {100 * explained / compared:.1f} % (at most {100 * most_explained:.0f}), "
          f"by {used} of {len(judge.rules)} rules")
    print(f"{wrong} are {Verdict.UNEXPLAINED.value}; {len(unnoticed)} of {tried} wrong values were not noticed (at most {100 * most_unnoticed:.0f} %)")
    free = sum(judge.is_free(field) for field in found[Verdict.EXPLAINED]) if judge.free else 0
    if judge.free:
        print(f"{free} of the explained may have any value: {100 * free / compared:.1f} % (at most {100 * most_free:.0f})")
    few = equal + mapped < least_equal * compared or explained > most_explained * compared or free > most_free * compared
    return 1 if wrong or faults or len(unnoticed) > most_unnoticed * tried or few else 0
