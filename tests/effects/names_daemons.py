"""The options of berthd, berth-agent, berth-launcher and berth-agent join, read from the calls that add them."""

import re

from names_keys import SOURCE, at_least, between

APPS = SOURCE.parent / "apps"


def added(text):
    """What CLI11 is told of; operands have no dashes."""
    found = re.findall(r'add_(?:option|flag)(?:_function<[^>]*>)?\(\s*"(-[^"]+)"', text)
    return [max(names.split(","), key=len) for names in found]


def daemon_options():
    """{"berthd --state", "berth-launcher --socket", …}"""
    own = (APPS / "berthd/controller_options.cc").read_text()
    node = (APPS / "berth_agent/agent_options.cc").read_text()
    both = at_least(12, added(between(node, "void add_options(", "\n}\n")))
    agent = [*both, *at_least(4, added(between(node, "parse_agent_options(", "\n}\n")))]
    launcher = [*both, *at_least(5, added(between(node, "parse_launcher_options(", "\n}\n")))]
    join = at_least(5, added((APPS / "berth_agent/join.cc").read_text()))
    found = {"berthd": at_least(19, added(own)), "berth-agent": agent, "berth-launcher": launcher, "berth-agent join": join}
    every = sum(len(re.findall(r"[.>]add_(?:option|flag)\w*[<(]", path.read_text())) for path in sorted(APPS.rglob("*.cc")))
    operands = len(re.findall(r'add_option\("\w', (APPS / "berth_agent/join.cc").read_text()))
    seen = sum(map(len, found.values())) - len(both) + operands
    assert seen == every, f"{every} options are added in apps/, {seen} are seen: names_daemons.py must follow the sources"
    return {f"{program} {option}" for program, options in found.items() for option in options}


if __name__ == "__main__":
    print("\n".join(sorted(daemon_options())))
