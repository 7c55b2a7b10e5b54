#!/usr/bin/env python3
"""A job's program: which GPUs' device files it may open. One line for each."""

import errno
import os
import re

for name in sorted(name for name in os.listdir("/dev") if re.fullmatch(r"nvidia[0-9]+", name)):
    try:
        os.close(os.open(f"/dev/{name}", os.O_RDWR))
        print(name, "open")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
