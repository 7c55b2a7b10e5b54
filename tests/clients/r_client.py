"""Clients written in R: the scenario of the R file named."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    os.execvp("Rscript", ["Rscript", "--vanilla", str(Path(__file__).parent / f"{sys.argv[1]}.R")])
