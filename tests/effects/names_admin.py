"""The KEY=VALUE words of sacctmgr's add and modify and of scontrol update, read from the functions that take them."""

import re

from names_keys import at_least, between, partition_rows, text_of

FOLDER = "slurm/admin/"


def limits(of):
    """Names of limits that an association ("kOfAssociation") or a QOS ("kOfQos") may have."""
    rows = re.findall(r'\{"(\w+)[\w,]*",\s*"\w+",\s*"\w+",\s*\d+,\s*(\w+)', text_of("model/limit_keys.cc"))
    return [name for name, whose in at_least(15, rows) if whose in ("kBoth", of)]


def asked(begin, file):
    """What a function compares an option's name with: of several words for one thing, the first."""
    body = between(text_of(FOLDER + file), begin, "\n}")
    return re.findall(r'option\.name == "(\w+)"|is_one_of\(option\.name, \{"(\w+)"', body)


def words(begin, file, least):
    return at_least(least, [one or other for one, other in asked(begin, file) if (one or other) != "cluster"])


def association():
    return [*words("Result<bool> set_common(Owner& owner", "sacctmgr_options.cc", 4), *limits("kOfAssociation")]


def account():
    return [*words("Result<Intent> add_accounts(", "sacctmgr_edit.cc", 3), *association()]


def user():
    return [*words("Result<Intent> users_to_add(", "sacctmgr_edit.cc", 3), *association()]


def qos():
    own = words("Result<bool> set_qos_option(", "sacctmgr_options.cc", 5) + words("Result<bool> set_preemption(", "sacctmgr_options.cc", 4)
    return [*own, *limits("kOfQos")]


def sacctmgr_names():
    """{"sacctmgr account maxjobs", …}: the word in lower case, as it may be written."""
    return {f"sacctmgr {entity} {word.lower()}" for entity, found in (("account", account()), ("user", user()), ("qos", qos())) for word in found}


def compared(file, begin, pattern, least):
    """Of a condition with several words for one thing, the first."""
    body = between(text_of(FOLDER + file), begin, "\n}")
    return at_least(least, [re.search(pattern, condition).group(1) for condition in re.findall(r"if \(([^{;]*?)\)(?: \{| return)", body)
                            if re.search(pattern, condition)])


def partitions():
    """What create and update take of partitions; TRESBillingWeights is refused there. Nodes+ and Nodes- add some and take some away."""
    body = between(text_of(FOLDER + "scontrol_partition.cc"), "Status set(", "\n}")
    assert "PartitionValue::billing_weights" in body and "nodes_added" in body and "nodes_removed" in body
    return ["nodes+", "nodes-", *(name.lower() for name, kind, _ in partition_rows() if kind != "billing_weights")]


def scontrol_names():
    """{"scontrol job timelimit", "scontrol node weight", …}: what scontrol takes of jobs, steps, nodes, partitions and reservations."""
    table = between(text_of(FOLDER + "scontrol_job_keys.cc"), "kUpdateKeys = ", "\n});")
    jobs = at_least(40, [name.lower() for name in re.findall(r'\n    \{"([\w-]+)', table)])
    nodes = compared("scontrol_update.cc", "Status set_node_key(", r'iequals\(key, "(\w+)"\)', 7)
    own = compared("scontrol_reservation.cc", "Status set_key(", r'name == "(\w+)"', 12)
    refused = between(text_of(FOLDER + "scontrol_reservation.cc"), 'name == "licenses"', "return")
    steps = re.findall(r'means\(key, "(\w+)"', between(text_of(FOLDER + "scontrol_update.cc"), "Status set_step_key(", "\n}"))
    reservations = ["starttime", "endtime", "duration", *(word for word in own if word not in ("starttime", "licenses") and word not in refused)]
    return ({f"scontrol job {word}" for word in jobs} | {f"scontrol step {word.lower()}" for word in at_least(1, steps)} | {f"scontrol node {word.lower()}" for word in nodes}
            | {f"scontrol partition {word}" for word in partitions()} | {f"scontrol reservation {word}" for word in reservations})
