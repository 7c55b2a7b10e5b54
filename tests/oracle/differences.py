"""What differs between Debian's Slurm and Berth, and why: the row of docs/slurm-differences.md that tells users."""
EXPLAINED = []
OWN = []
