"""Keys of configuration files, by theme."""

import keys_jobs  # noqa: F401  Each registers its effects.
import keys_nodes  # noqa: F401
import keys_partition  # noqa: F401
import keys_policy  # noqa: F401
import keys_priority  # noqa: F401
import keys_programs  # noqa: F401
import keys_scheduler  # noqa: F401
import keys_site  # noqa: F401
import keys_steps  # noqa: F401
import keys_yaml  # noqa: F401
import keys_accounts  # noqa: F401
import keys_limits  # noqa: F401
import keys_queues  # noqa: F401
import keys_cgroup  # noqa: F401
