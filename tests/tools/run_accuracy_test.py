#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks tools/run_accuracy on small databases: run_accuracy_test.py TOOL."""
import csv
import io
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
TABLES = """
    CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT UNIQUE);
    CREATE TABLE run (id INTEGER PRIMARY KEY, origin, state, backend, network, batch, mode, dtype, threads, algorithm,
                      ran_on);
    CREATE TABLE setting (run, name, value);
    CREATE TABLE step (run, layer, operation, pass, kind, median_ns);"""


class Database:
    def __init__(self, folder):
        self.path = str(pathlib.Path(folder) / "runs.sqlite")
        self.base = sqlite3.connect(self.path)
        self.base.executescript(TABLES)

    def text(self, value):
        self.base.execute("INSERT OR IGNORE INTO text (value) VALUES (?)", (value,))
        return self.base.execute("SELECT id FROM text WHERE value = ?", (value,)).fetchone()[0]

    def add(self, origin, backend, steps, threads=1, ran_on=None, algorithm="auto", tf32=False, dtype="f32"):
        run = self.base.execute(
            "INSERT INTO run (origin, state, backend, network, batch, mode, dtype, threads, algorithm, ran_on) "
            "VALUES (?, 'complete', ?, 'net', 4, 'training', ?, ?, ?, ?)",
            (origin, backend, dtype, threads, algorithm, ran_on)).lastrowid
        if tf32:
            self.base.execute("INSERT INTO setting VALUES (?, 'single_precision', 'tf32')", (run,))
        for layer, operation, which, kind, milliseconds in steps:
            nanoseconds = None if milliseconds is None else round(milliseconds * 1e6)
            self.base.execute("INSERT INTO step VALUES (?, ?, ?, ?, ?, ?)",
                              (run, self.text(layer), self.text(operation), which, kind, nanoseconds))

    def rows(self, *options):
        self.base.commit()
        done = subprocess.run([sys.executable, TOOL, self.path, "--csv", *options], capture_output=True, text=True)
        return list(csv.DictReader(io.StringIO(done.stdout))), done


def conv(milliseconds, which="forward", kind="compute"):
    return ("conv", "convolution", which, kind, milliseconds)


class RunAccuracy(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.base = Database(self.folder.name)

    def test_a_gpu_is_paired_with_each_predicted_gpu_whatever_the_host_has(self):
        self.base.add("measured", "cuda", [conv(2.0), conv(1.0, kind="reorder")], threads=16, ran_on="gpu")
        self.base.add("modelled", "modelled:h100", [conv(9.0)], threads=0)
        self.base.add("modelled", "modelled:h100", [conv(1.5)], threads=0)  # the latest counts
        self.base.add("modelled", "modelled:a100-80", [conv(6.0)], threads=0)
        self.base.add("modelled", "modelled:host-16t", [conv(50.0)], threads=16)
        rows, _ = self.base.rows()
        self.assertEqual([(row["device"], row["error_percent"]) for row in rows],
                         [("a100-80", "100.0"), ("h100", "-50.0")])

    def test_a_cpu_is_paired_by_threads_and_takes_the_shortest_of_several_runs(self):
        for time in 5.0, 4.0:
            self.base.add("measured", "onednn", [conv(time)], threads=2, ran_on="cpu", algorithm="direct")
        self.base.add("measured", "onednn", [conv(1.0)], threads=2, ran_on="cpu", algorithm="winograd")
        self.base.add("modelled", "modelled:host-2t", [conv(5.0)], threads=2)
        self.base.add("modelled", "modelled:h100", [conv(0.1)], threads=0)
        self.base.add("modelled", "modelled:host-1t", [conv(9.0)], threads=1)
        rows, _ = self.base.rows()
        self.assertEqual([(row["device"], row["threads"], row["measured_ms"], row["error_percent"]) for row in rows],
                         [("host-2t", "2", "4.0", "25.0")])

    def test_operators_have_their_kernels_apart_from_reorders(self):
        self.base.add("measured", "cuda", [conv(2.0), conv(1.0, kind="reorder"), conv(4.0, "backward_data"),
                                           ("fc", "fully_connected", "forward", "compute", 1.0)], ran_on="gpu")
        self.base.add("modelled", "modelled:h100", [conv(3.0), conv(2.0, "backward_data"),
                                                    ("fc", "fully_connected", "forward", "compute", 1.0)])
        rows, _ = self.base.rows("--operators")
        found = {(row["operator"], row["pass"]): (row["measured_ms"], row["error_percent"]) for row in rows}
        self.assertEqual(found, {("convolution", "forward"): ("2.0", "50.0"),
                                 ("convolution", "backward_data"): ("4.0", "-50.0"),
                                 ("reorder", "forward"): ("1.0", "-100.0"),
                                 ("fully_connected", "forward"): ("1.0", "0.0")})

    def test_tf32_is_not_compared_with_full_precision(self):
        self.base.add("measured", "cuda", [conv(2.0)], ran_on="gpu", tf32=True)
        self.base.add("modelled", "modelled:h100", [conv(3.0)])
        rows, done = self.base.rows()
        self.assertEqual(rows, [])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no network was both measured and predicted", done.stderr)
        self.base.add("modelled", "modelled:h100", [conv(1.0)], tf32=True)
        rows, _ = self.base.rows()
        self.assertEqual([(row["dtype"], row["error_percent"]) for row in rows], [("tf32", "-50.0")])

    def test_a_step_without_a_time_is_in_no_sum(self):
        self.base.add("measured", "cuda", [conv(2.0), ("drop", "dropout", "forward", "compute", None)], ran_on="gpu")
        self.base.add("modelled", "modelled:h100", [conv(2.0)])
        rows, _ = self.base.rows("--operators")
        self.assertEqual([row["operator"] for row in rows], ["convolution"])


if __name__ == "__main__":
    unittest.main()
