"""How soon a node takes work again after a death of one of its processes. Times are in seconds."""

# How soon a job must begin after a death. A machine that is busy with other things makes some of them late: one death in twenty may
# take longer, but none as long as STANDS_STILL.
TAKES_WORK = 2.0
STANDS_STILL = 20.0


def waits_after(deaths, starts, stopped, most=TAKES_WORK):
    """How long each death was followed by no start. Behind the last start a wait counts as long as submissions went on."""
    waits = []
    for death in deaths:
        after = min((at for at in starts if at > death), default=None)
        if after is not None:
            waits.append(after - death)
        elif stopped - death > most:
            waits.append(stopped - death)
    return sorted(waits)


def check_waits(victim, waits, most=TAKES_WORK):
    wrong = []
    late = [wait for wait in waits if wait > most]
    if len(late) > max(1, len(waits) // 20):
        wrong.append(f"after {len(late)} of {len(waits)} deaths of {victim} the node took no work for more than {most:.0f} s")
    if waits[-1] > STANDS_STILL:
        wrong.append(f"the node took no work for {waits[-1]:.0f} s after a death of {victim}")
    return wrong
