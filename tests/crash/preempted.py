"""What jobs wrote while others preempted them, and what may not stand there. Each check returns what is wrong, and how often there was
something to check. `acknowledged` is {job: (kind, when it was submitted)}."""

import collections


def parse(text):
    """{job: {run: {what: [(when, number)]}}}, from one line for each: job, run, what, when, number."""
    runs = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for line in text.splitlines():
        job, run, what, at, number = line.split()
        runs[job][int(run)][what].append((float(at), int(number)))
    return runs


def first_start(runs, job):
    return min((run["start"][0][0] for run in runs[job].values() if run["start"]), default=None)


def check_ends(acknowledged, runs, states):
    """Every job is COMPLETED at last, was PREEMPTED each time before, and wrote no run that accounting does not know."""
    wrong = []
    for job, (kind, _) in acknowledged.items():
        ends = sum(len(run["end"]) for run in runs[job].values())
        if states[job][-1:] != ["COMPLETED"] or set(states[job][:-1]) - {"PREEMPTED"} or ends == 0:
            wrong.append(f"job {job} ({kind}) is {states[job]}, and wrote {ends} ends")
        if any(len(run["start"]) > 1 for run in runs[job].values()) or len(runs[job]) > len(states[job]):
            wrong.append(f"job {job} ({kind}) is {states[job]}, and wrote the runs {sorted(runs[job])}")
    return wrong, sum(state == "PREEMPTED" for rows in states.values() for state in rows)


def check_cores(acknowledged, runs):
    """Nothing ticks while a job runs that has its cores. Returns how many such jobs found another suspended, too."""
    wrong, froze = [], 0
    ticks = sorted((at, job) for job, (kind, _) in acknowledged.items() if kind == "cores" for run in runs[job].values()
                   for at, _ in run["tick"])
    spans = [(run["tick"][0][0], run["tick"][-1][0]) for job, (kind, _) in acknowledged.items() if kind == "cores"
             for run in runs[job].values() if run["tick"]]
    for job, (kind, _) in acknowledged.items():
        for run in runs[job].values():
            if kind != "high cores" or not run["start"] or not run["end"]:
                continue
            start, end = run["start"][0][0], run["end"][0][0]
            froze += any(first < start and end < last for first, last in spans)
            wrong += [f"job {other} ran on the cores of job {job}" for at, other in ticks if start < at < end][:1]
    return wrong, froze


def check_saved(acknowledged, runs):
    wrong, went_on = [], 0
    for job, (kind, _) in acknowledged.items():
        saved = 0
        for number in sorted(runs[job]) if kind == "saves" else []:
            run = runs[job][number]
            begins = run["start"][0][1] if run["start"] else saved
            if begins < saved:
                wrong.append(f"run {number} of job {job} began at step {begins}, and {saved} had been saved")
            went_on += begins > 0
            saved = max([saved, *(step for _, step in run["saved"])])
    return wrong, went_on
