"""All rules of what differs and why, in the order in which they are asked."""

from differences import EXPLAINED as COMMANDS_EXPLAINED
from query_differences import QUERIES_EXPLAINED

EXPLAINED = [*COMMANDS_EXPLAINED, *QUERIES_EXPLAINED]
