"""The keys of configuration files that Berth accepts and acts on, read from the tables in berth/config that accept them."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "berth"


def text_of(file):
    return (SOURCE / file).read_text()


def between(text, begin, end):
    """What stands from one text to the next."""
    assert begin in text, f"{begin}: tests/effects/names_keys.py must follow the sources"
    return text.split(begin, 1)[1].split(end, 1)[0]


def words(text):
    return re.findall(r'"(\w[\w-]*)"', text)


def at_least(count, found):
    assert len(found) >= count, f"a table of keys is read wrongly: {found}"
    return found


def slurm_conf():
    """Two words of PrologFlags ask for what is so anyway, and of the others it is said that they have no effect."""
    return at_least(50, [key for key in re.findall(r'\{"(\w+)", acted_on', text_of("config/known_keys.cc")) if key != "PrologFlags"])


def partition_rows():
    """Name, kind of value, and berth.yaml's word of each key that has an effect."""
    rows = re.findall(r'\{"(\w+)", (\w+)(?:, (?:"\w+"|\{\})(?:, "(\w+)")?)?\}', text_of("model/partition_keys.cc"))
    return at_least(20, [row for row in rows if row[1] != "without_effect"])


def partition():
    return [name for name, _, _ in partition_rows()]


def node_set():
    body = between(text_of("config/partition_line.cc"), "void read_node_set_line", "\n}")
    return ["NodeSet", *at_least(2, re.findall(r'iequals\(pair.key, "(\w+)"\)', body))]


def node():
    """State is not one: UNKNOWN and IDLE ask for nothing, and of any other a warning says that it has no effect."""
    text = text_of("config/node_line.cc")
    known, unheeded = words(between(text, "kNodeKeys = ", "};")), words(between(text, "bool has_no_effect", "\n}"))
    return at_least(10, [key for key in known if key not in unheeded and key != "State"])


def gres_conf():
    """Of Flags and AutoDetect it is said that they have no effect."""
    text = text_of("config/gres_conf.cc")
    return at_least(8, [key for key in words(between(text, "kGresKeys = ", "};")) if key not in ("Flags", "AutoDetect")])


def cgroup_conf():
    """Of all others a finding says that they have no effect: berth/config/cgroup_conf_test.cc."""
    return at_least(4, re.findall(r'\{"(\w+)", Use::(?:flag|percent)', text_of("config/cgroup_conf.cc")))


def topology_conf():
    """Of LinkSpeed it is said that it has no effect."""
    found = set(re.findall(r'iequals\(pair\.key, "(\w+)"\)', text_of("config/topology_conf.cc")))
    return at_least(4, sorted(found - {"LinkSpeed"}))


def scheduler_parameters():
    body = between(text_of("config/scheduler_parameters.cc"), "kParameters = ", "\n});")
    return at_least(10, re.findall(r'\{"(\w+)",(?!\s*nullptr)', body))


def preempt_parameters():
    """Of reorder_count, strict_order and suspend_grace_time it is said that they have no effect."""
    body = between(text_of("config/preempt_keys.cc"), "void read_parameter(", "\n    }\n")
    found = [word for word in re.findall(r'iequals\(name, "(\w+)"\)', body) if word != "suspend_grace_time"]
    return at_least(4, found + [word.removeprefix("preempt_") for word in scheduler_parameters() if word.startswith("preempt_")])


def slurmctld_parameters():
    return at_least(4, sorted(set(re.findall(r'iequals\(\w+, "(rl_\w+)"\)', text_of("model/rate_limit.cc")))))


def priority_flags():
    """FAIR_TREE asks for what is so anyway."""
    body = between(text_of("config/priority_keys.cc"), "kFlags = ", "\n});")
    return at_least(10, [flag for flag in re.findall(r'\{"(\w+)",', body) if flag != "FAIR_TREE"])


def enforced():
    """The words of AccountingStorageEnforce; of nojobs and nosteps it is said that they have no effect, and none and 0 are nothing."""
    body = between(text_of("config/scheduling_keys.cc"), "void read_accounting_enforcement", "\n}")
    return at_least(5, sorted(set(re.findall(r'word [!=]= "(\w+)"', body)) - {"none", "0", "1", "nojobs", "nosteps"}))


# ---- berth.yaml: paths with dots.

def yaml_function(name):
    return re.findall(r'key [!=]= "(\w+)"', between(text_of("config/berth_yaml.cc"), f"void {name}(", "\n    }\n"))


def yaml_sections():
    return at_least(4, re.findall(r'key == "(\w+)"', between(text_of("config/berth_yaml.cc"), "ReadSection section_of(", "\n}\n")))


def private_data():
    """events and cloud have no effect, as a warning says; none asks for nothing."""
    text = text_of("config/site_keys.cc")
    return [*at_least(7, re.findall(r'\{"(\w+)"', between(text, "kPrivate = ", "});"))), "all"]


def debug_flags():
    return at_least(2, re.findall(r'\{"(\w+)"', between(text_of("config/site_keys.cc"), "kDebug = ", "});")))


def submit_plugins():
    return at_least(3, words(between(text_of("config/site_keys.cc"), "kSubmitPlugins =", "});")))


def limits(of):
    rows = re.findall(r'\{"[\w,]+",\s*"\w+",\s*"(\w+)",\s*\d+,\s*(\w+)', text_of("model/limit_keys.cc"))
    return at_least(8, [key for key, owner in rows if owner in ("kBoth", of)])


def translated(table, text):
    rows = re.findall(r'\{"(\w+)", "(\w+)"\}', between(text_of("config/berth_yaml.cc"), f"{table} = ", "});"))
    return [yaml for yaml, slurm in at_least(8, rows) if slurm in text]


def yaml():
    found = yaml_function("read") + yaml_sections()
    found += [f"nodes.{key}" for key in translated("kYamlNodeKeys", node())]
    found += [f"partitions.{key}" for _, _, key in partition_rows() if key]
    fence = between(text_of("config/fence_keys.cc"), "void read(", "\n    }\n")
    found += [f"fence.{key}" for key in at_least(3, re.findall(r'key == "(\w+)"', fence))]
    found += [f"gpu_types.{key}" for key in yaml_function("read_gpu_type_key")]
    found += [f"accounts.{key}" for key in [*yaml_function("read_account"), *limits("kOfAssociation")]]
    found += [f"accounts.users.{key}" for key in [*yaml_function("read_user"), *limits("kOfAssociation")]]
    found += [f"qos.{key}" for key in [*yaml_function("read_qos"), *limits("kOfQos")]]
    preemption = text_of("config/preempt_keys.cc")
    found += [f"preemption.{key}" for key in at_least(9, re.findall(r'pair\.key == "(\w+)"', preemption))]
    qos = between(preemption, "bool read_qos_preemption(", "\n}\n")
    found += [f"qos.{key}" for key in at_least(4, re.findall(r'name == "(\w+)"', qos))]
    classes = between(text_of("config/priority_classes.cc"), "void read_class(", "\n    }\n")
    found += [f"priority_classes.{key}" for key in at_least(3, re.findall(r'key == "(\w+)"', classes))]
    queues = text_of("model/queue_options.cc")
    found += [f"queues.{key}" for key in at_least(5, re.findall(r'\{"(\w+)", &QueueSpec::', queues))]
    found += [f"queues.{key}" for key in at_least(4, re.findall(r'name == "(\w+)"', queues))]
    flavors = between(text_of("config/flavors.cc"), "void read_option(", "\n    }\n")
    found += [f"flavors.{key}" for key in at_least(3, re.findall(r'pair\.key == "(\w+)"', flavors))]
    notices = between(text_of("config/notifications.cc"), "void read(", "\n    }\n")
    found += [f"notifications.{key}" for key in re.findall(r'key == "(\w+)"', notices)]
    return at_least(80, list(dict.fromkeys(found)))


def rules(kind):
    """The rules that `order`, `placement` and `priority` of berth.yaml may name."""
    body = between(text_of("policy/CMakeLists.txt"), f"    {kind.upper()} ", ")")
    return at_least(5, re.match(r"(?:\s*[a-z]\w*)+", body).group().split())


def settings(kind, rule):
    """["steps"]: what stands beside the rule's weight."""
    text = text_of(f"policy/{kind}/{rule}.cc")
    if "own_over_highest.h" in text:  # It makes the rule.
        text += text_of("policy/own_over_highest.h")
    return re.findall(r'\{(?:\.name = )?"(\w+)",', between(text, ".settings =", ".make")) if ".settings =" in text else []


def with_settings(kind, of):
    return [name for rule in of for name in (rule, *(f"{rule}.{one}" for one in settings(kind, rule)))]


def order():
    """A rule's name, or a map of its name as `rule`, its `weight` and its settings."""
    return ["{rule}", "{weight}", *with_settings("order", rules("order"))]


def placement():
    return ["{rule}", "{weight}", *with_settings("placement", rules("placement"))]


def priority_terms():
    """Terms with their weight, or with a map of `weight` and settings; some take no weight here."""
    unweighed = words(between(text_of("config/priority_terms.cc"), "bool is_weighed(", "\n}"))
    return ["{weight}", *with_settings("priority", [term for term in rules("priority") if term not in unweighed])]


KINDS = {"order": order, "placement": placement, "priority": priority_terms,
         "slurm.conf": slurm_conf, "partition": partition, "NodeSet": node_set, "node": node, "gres.conf": gres_conf, "cgroup.conf": cgroup_conf,
         "topology.conf": topology_conf, "SchedulerParameters": scheduler_parameters, "PreemptParameters": preempt_parameters, "SlurmctldParameters": slurmctld_parameters,
         "PriorityFlags": priority_flags, "AccountingStorageEnforce": enforced,
         "PrivateData": private_data, "DebugFlags": debug_flags, "JobSubmitPlugins": submit_plugins, "berth.yaml": yaml}


def key_names():
    return {f"{kind} {key}" for kind, keys in KINDS.items() for key in keys()}


if __name__ == "__main__":
    print("\n".join(sorted(key_names())))
