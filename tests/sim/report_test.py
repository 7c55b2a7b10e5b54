#!/usr/bin/env python3
"""`berth sim run` as a researcher uses it: the report drawn by a real browser, numbers as in the JSON, and
two runs of one seed byte for byte."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BERTH = Path(os.environ["BERTH_BIN"]) / "berth"
NOT_RUN = 77  # To ctest: skipped. What is printed counts for nothing, since a test that fails may print it too.
POLICIES = ["multifactor", "sjf", "fifo:easy"]


def run(folder, name, *more):
    subprocess.run([BERTH, "sim", "run", "--trace", f"philly:{ROOT}/tests/data/philly_sample.csv",
                    "--cluster", f"{ROOT}/docs/examples/philly.yaml", "--policy", ",".join(POLICIES),
                    "--scale-load", "4", "--json", folder / f"{name}.json", *more],
                   check=True, stdout=subprocess.DEVNULL)
    return (folder / f"{name}.json").read_bytes()


def check_refusals(folder):
    """What would never end is refused at once. Few nodes: each fails every five minutes."""
    philly = (ROOT / "docs/examples/philly.yaml").read_text()
    (folder / "few.yaml").write_text(philly.replace("gpu[001-052]", "gpu[001-004]"))
    for more in (["--time-slice", "1:00:00"], ["--time-slice", "1:00:00", "--checkpoint", "2:00:00"]):
        done = subprocess.run([BERTH, "sim", "run", "--trace", "philly", "--cluster", f"{ROOT}/docs/examples/philly.yaml",
                               "--policy", "fifo", *more], capture_output=True, text=True, timeout=20)
        assert done.returncode == 1 and "--time-slice needs --checkpoint" in done.stderr, done
    for more, said in ((["--time-slice", "1:00:00", "--checkpoint", "0:30:00", "--restart-cost", "0:31:00"], "use a longer slice"),
                       (["--node-mtbf", "0:05:00", "--node-repair", "0:10:00"], "add --checkpoint=LENGTH"),
                       (["--node-mtbf", "0:05:00", "--node-repair", "0:10:00", "--checkpoint", "5:00:00"], "use a shorter --checkpoint")):
        done = subprocess.run([BERTH, "sim", "run", "--trace", "generate:philly:20", "--cluster", folder / "few.yaml",
                               "--policy", "fifo", *more], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and said in done.stderr, done


def dom_of(browser, page, folder):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                           "--virtual-time-budget=5000", "--dump-dom", page.as_uri()],
                          check=True, capture_output=True, text=True, timeout=120).stdout


def check_report(browser, report, results, policies):
    with tempfile.TemporaryDirectory() as profile:
        check_page(dom_of(browser, Path(report), profile), json.loads(Path(results).read_text()), policies)


def check_page(dom, results, policies):
    for plot in ("utilisation", "queue", "waiting", "jct", "demand", "fragmentation", "rho"):
        drawn = re.search(rf'<svg[^>]*data-plot="{plot}".*?</svg>', dom, re.DOTALL)
        assert drawn, f"no plot {plot}"
        paths = re.findall(r'<path class="line" d="([^"]*)"[^>]*data-policy="([^"]*)"', drawn[0])
        assert [policy for _, policy in paths] == policies, f"{plot}: {paths}"
        assert all(path.count("L") > 20 for path, _ in paths), f"{plot} is hardly a curve"
    bars = re.search(r'<svg[^>]*data-plot="fairness".*?</svg>', dom, re.DOTALL)[0].count('class="bar"')
    accounts = min(10, len(results["runs"][0]["by_account"]))
    assert bars == accounts * len(policies), f"{bars} bars"
    gantt = re.search(r'<svg[^>]*data-plot="gantt".*?</svg>', dom, re.DOTALL)[0].count('class="run"')
    assert gantt >= min(2500, results["runs"][0]["jobs"]["ended"]), f"{gantt} runs in the Gantt chart"
    shown = {(html.unescape(policy), key): float(value) for policy, key, value in
             re.findall(r'<td data-policy="([^"]*)" data-key="([^"]*)" data-value="([^"]*)"', dom)}
    for figures in results["runs"]:
        policy = figures["policy"]
        for key, value in {"jobs": figures["jobs"]["ended"], "jct_mean": figures["all"]["jct_s"]["mean"],
                           "jct_p99": figures["all"]["jct_s"]["p99"], "waiting_mean": figures["all"]["waiting_s"]["mean"],
                           "waiting_p90": figures["all"]["waiting_s"]["p90"], "makespan": figures["makespan_s"],
                           "queue_mean": figures["queue"]["mean"], "queue_max": figures["queue"]["max"],
                           "fragmentation": figures["fragmentation"]["gpus"], "unfair": figures["unfair_fraction"],
                           "rho_p99": figures["all"]["finish_time_fairness"]["p99"],
                           "rho_max": figures["all"]["finish_time_fairness"]["max"],
                           "starved": figures["jobs"]["starved"], "preemptions": figures["jobs"]["preemptions"], "jain": figures["jain_index"]["accounts"],
                           "allocation": figures["gpu_allocation_while_jobs_arrive"]}.items():
            assert abs(shown[policy, key] - value) <= 1e-9 * max(1, abs(value)), (policy, key, shown[policy, key], value)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_refusals(folder)
        first = run(folder, "first", "--no-timings", "--threads", "3", "--report", folder / "report.html")
        again = run(folder, "again", "--no-timings", "--threads", "1")
        assert first == again, "two runs differ"
        results = json.loads(first)
        assert all(figures["jobs"]["ended"] == 600 for figures in results["runs"])
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            print("SKIPPED: needs chromium to look at the report")
            return NOT_RUN
        check_report(browser, folder / "report.html", folder / "first.json", POLICIES)


if __name__ == "__main__":
    sys.exit(main())
