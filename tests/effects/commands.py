"""Options, and variables, of the commands that show or change what there is: how their tests are registered."""

import names
from effect import EFFECTS, Case, Effect

NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")


class Asked(Case):
    """A case whose option stands on the command line of one command, or in the environment."""

    def __init__(self, cluster, name, withheld, command, option, value, variable=None):
        super().__init__(cluster, name, withheld)
        self.command, self.option, self.value, self.of_variable = command, option, value, variable
        self.ids = getattr(cluster, "ids", {})

    def words(self):
        if self.withheld or self.of_variable:
            return ()
        return (f"--{self.option}" if self.value is None else f"--{self.option}={self.value}",)

    def environment(self):
        if self.withheld or not self.of_variable:
            return {}
        alone = "" if self.option and names.argument_of(self.command, self.option) == "optional_argument" else "1"
        return {self.of_variable: alone if self.value is None else self.value}

    def done(self, *others, before=(), **more):
        """The command with the tested option: `before` stands before its name, as setpriv's words do."""
        environment = more.pop("env", {}) | self.environment()
        return self.run(*before, self.command, *self.words(), *others, env=environment, **more)

    def ask(self, *others, **more):
        return self.done(*others, **more).stdout

    def lines(self, *others, **more):
        return self.ask(*others, **more).splitlines()

    def words_of(self, *others, **more):
        return set(self.ask(*others, **more).split())


def command_option(full, value=None, seen="", world="show", needs_root=False):
    """The effect of "squeue --user"; `value` may be a function of the cluster (a job's number, say)."""
    command, option = full.split(" --")

    def register(function):
        forms = [(full, None, value)]
        for variable in names.input_variables().get((command, option), []):
            forms.append((names.variable_name(command, variable), variable, value))
        for name, of_variable, given in forms:
            one = Effect(name, seen, world, function, needs_root, always=name in names.ALWAYS_SO)
            one.case = lambda cluster, withheld, n=name, v=of_variable, g=given: Asked(
                cluster, n, withheld, command, option, g(cluster) if callable(g) else g, v)
            EFFECTS.append(one)
        return function
    return register


def only_variable(name, command, value, seen="", world="show"):
    """The effect of a variable that no option stands for."""
    def register(function):
        if name not in names.all_variables():
            return function
        one = Effect(name, seen, world, function)
        one.case = lambda cluster, withheld: Asked(cluster, name, withheld, command, "", value(cluster) if callable(value) else value, name)
        EFFECTS.append(one)
        return function
    return register
