#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives the built program: measured, stored, shown, interrupted, killed and resumed.

    program_test.py STRATA [CLASS[.TEST]]...     exit 1 where a test fails
    program_test.py STRATA --classes CLASS...    exit 1 if these are not all the classes

Networks are tiny and run on the reference backend. Times are not checked. Tests that interrupt a
command use several runs, each of which lasts --max-time because its precision cannot be reached; they
wait for a state of the database, not for a duration.
"""
import contextlib
import csv
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRATA = None
ANSWER = 1.0 if os.getloadavg()[0] < len(os.sched_getaffinity(0)) else 3.0  # seconds; more if others compute
PATIENCE = 600  # seconds; a busy machine is slow, but not that slow

TINY = "fc:layers=1,nodes=8"
CONVOLUTION = "convolution(1x4x8x8) out_channels=4 kernel=3x3"
# Any precision is enough, and none is required.
QUICK = ["--backend", "reference", "--max-time", "5", "--min-time", "0", "--min-samples", "5", "--precision", "100%"]
ENDLESS = ["--backend", "reference", "--min-time", "0", "--precision", "0.000000001"]


def clean_environment(folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STRATA_")}
    return dict(kept, NO_COLOR="1", LC_ALL="C.UTF-8", XDG_DATA_HOME=folder, STRATA_DATABASE=f"{folder}/strata.sqlite")


class Program(unittest.TestCase):
    """A folder and a database of the test's own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = clean_environment(scratch.name)

    def strata(self, *words, code=0):
        """Runs a command, which must end with this exit code, and returns what it prints."""
        done = subprocess.run([STRATA, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}\n{done.stdout}")
        return done

    def has_engine(self):
        """Whether strata's own engine for processors is there."""
        done = subprocess.run([STRATA, "run", TINY, "--batch", "1", "--no-wait", "--max-time", "0.1"], cwd=self.folder,
                              env=dict(self.environment, STRATA_DATABASE=f"{self.folder}/engine.sqlite"),
                              capture_output=True, timeout=PATIENCE)
        return done.returncode != 3

    def json(self, *words, code=0):
        return json.loads(self.strata(*words, "--json", code=code).stdout)

    @contextlib.contextmanager
    def started(self, *words):
        """A command that runs on meanwhile, and is killed at the latest when the test is over."""
        child = subprocess.Popen([STRATA, *words], cwd=self.folder, env=self.environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()
            child.communicate()

    def rows(self, sql):
        if not (self.folder / "strata.sqlite").exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/strata.sqlite?mode=ro", uri=True,
                                                timeout=60)) as database:
            try:
                return database.execute(sql).fetchall()
            except sqlite3.OperationalError:  # its tables are not there yet
                return []

    def wait_for(self, what, sql, child):
        """Until the query, of one number, gives more than 0."""
        give_up = time.monotonic() + PATIENCE
        while not (self.rows(sql) or [(0,)])[0][0]:
            self.assertIsNone(child.poll(), f"the command ended before {what}")
            self.assertLess(time.monotonic(), give_up, f"waited in vain for {what}")
            time.sleep(0.02)

    def end(self, child, code):
        """Waits for the command's end, with this exit code or, if that is None, with any but 0."""
        out, err = child.communicate(timeout=PATIENCE)
        if code is None:
            self.assertNotEqual(child.returncode, 0, f"{err}\n{out}")
        else:
            self.assertEqual(child.returncode, code, f"{err}\n{out}")
        return out, err


class Results(Program):
    def test_a_run_is_printed_stored_and_shown_again(self):
        first = self.json("run", TINY, "--batch", "2", "--no-wait", *QUICK)["runs"][0]
        self.assertEqual((first["state"], first["batch"], first["backend"]), ("complete", 2, "reference"))
        for step in first["steps"]:
            self.assertEqual(step["status"], "measured")
            self.assertGreaterEqual(step["samples"], 5)
        again = self.json("explain", str(first["run"]))["runs"][0]
        self.assertEqual(again["steps"], first["steps"])
        listed = self.json("list", "runs")["runs"]
        self.assertEqual([row["run"] for row in listed], [first["run"]])
        self.assertIn(f"run {first['run']}", self.strata("explain", "last").stdout)

    def test_the_same_command_measures_again_after_it_was_complete(self):
        runs = [self.json("run", TINY, "--batch", "2", "--no-wait", *QUICK)["runs"][0]["run"] for _ in range(2)]
        self.assertNotEqual(runs[0], runs[1])

    def test_networks_and_batches_are_separate_runs(self):
        runs = self.json("run", TINY, CONVOLUTION, "--batch", "1,2", "--no-wait", *QUICK)["runs"]
        self.assertEqual([run["batch"] for run in runs], [1, 2, 1, 2])
        self.assertEqual(len({run["network"] for run in runs}), 2)

    def test_the_gain_of_fusion_is_predicted_from_a_run(self):
        self.strata("run", "fc:layers=2,nodes=8", "--batch", "2", "--inference", "--no-wait", *QUICK)
        shown = self.json("what-if", "last", "--fuse", "conv+relu")
        self.assertEqual([row["forecast"] for row in shown["forecasts"]], ["now", "predicted"])
        self.assertTrue(all(row["operator"] == "relu" for row in shown["layers"]))
        self.assertLess(shown["forecasts"][1]["ratio"], 1)
        refused = self.strata("what-if", "last", "--fuse", "all", "--verify", "--no-wait", code=2)
        self.assertIn("does not fuse layers", refused.stderr)


class Sweeps(Program):
    def point_status(self, sweep):
        return {point["value"]: point["status"] for point in sweep["points"]}

    def test_a_varied_number_makes_one_sweep(self):
        sweeps = self.json("run", "fc:layers=1", "--vary", "nodes=8,16,32", "--batch", "2", "--no-wait",
                           *QUICK)["sweeps"]
        self.assertEqual([sweep["variable"] for sweep in sweeps], ["nodes"])
        self.assertEqual(self.point_status(sweeps[0]), dict.fromkeys([8, 16, 32], "measured"))

    def test_a_framework_is_started_once_to_open_it_and_once_for_each_network(self):
        peer = ROOT / "tests" / "backend" / "peer" / "scripted_peer.py"
        interpreter = self.folder / "interpreter"
        interpreter.write_text(f'#!/bin/sh\necho >> starts\nshift\nexec "{sys.executable}" "{peer}" "$@"\n')
        interpreter.chmod(0o755)
        self.environment["STRATA_PEERS_PYTHON"] = str(interpreter)
        # The process that answers first uses all processors, so it computes no network here.
        self.strata("run", TINY, "--inference", "--batch", "2,4,8", "--no-wait", "--threads", "1", *QUICK[2:],
                    "--backend", "pytorch")
        self.assertEqual(len((self.folder / "starts").read_text().splitlines()), 1 + 3)

    def test_two_numbers_make_a_grid(self):
        shown = self.json("run", "fc:layers=1", "--vary", "nodes=8,16", "--vary", "batch=1,2", "--no-wait", *QUICK)
        self.assertEqual(len(shown["grids"]), 1)
        self.assertEqual(self.rows("SELECT count(*) FROM run WHERE state = 'complete'"), [(4,)])

    def test_a_batch_that_does_not_fit_in_memory_is_a_result(self):
        peaks = {batch["batch"]: batch["peak"]["peak_bytes"]
                 for batch in self.json("show", TINY, "--memory", "--inference", "--batch",
                                        "1..4")["networks"][0]["batches"]}
        memory = f"{(peaks[2] + peaks[4]) // 2}B"
        words = ["run", TINY, "--inference", "--batch", "1..4", "--memory", memory, "--no-wait", *QUICK]
        sweep = self.json(*words)["sweeps"][0]
        self.assertEqual(self.point_status(sweep), {1: "measured", 2: "measured", 4: "skipped"})
        reason = next(point["reason"] for point in sweep["points"] if point["value"] == 4)
        self.assertIn("--memory gives", reason)
        self.assertIn("Largest batch: ", self.strata(*words).stdout)
        self.strata("run", TINY, "--inference", "--batch", "4", "--memory", memory, "--no-wait", *QUICK, code=3)


class Pairs(Program):
    def pair_of(self, *words):
        shown = self.json("run", CONVOLUTION, *words, "--no-wait", *QUICK)
        self.assertEqual(len(shown["runs"]), 2)
        self.assertEqual([(pair["before"], pair["after"]) for pair in shown["pairs"]],
                         [(shown["runs"][0]["run"], shown["runs"][1]["run"])])
        return shown["runs"], shown["pairs"][0]["differences"]

    def test_algorithms_are_measured_in_turn_and_compared(self):
        runs, differences = self.pair_of("--algorithm", "direct,winograd")
        self.assertEqual([run["algorithm"] for run in runs], ["direct", "winograd"])
        self.assertEqual([difference["setting"] for difference in differences], ["algorithm"])

    def test_numbers_of_threads_are_measured_in_turn_and_compared(self):
        runs, differences = self.pair_of("--threads", "1,2")
        self.assertEqual([run["threads"] for run in runs], [1, 2])
        self.assertEqual(differences, [{"setting": "threads", "before": "1", "after": "2"}])


class Sides(Program):
    """Sides of a comparison that are measured in turn, each run in a separate process."""

    WORDS = ["compare", TINY, "--batch", "2,4", "--rounds", "2", "--no-wait"]

    def test_they_take_turns(self):
        shown = self.json(*self.WORDS, *QUICK)
        self.assertEqual((shown["a"], shown["b"], shown["reason"]), ([1, 4], [2, 3], None))
        self.assertEqual([(each["before"], each["after"]) for each in shown["differences"]], [("2", "4")])
        self.assertIn(shown["whole"]["verdict"], ("faster", "slower", "same", "unclear"))
        self.assertGreater(len(shown["layers"]), 3)

    def test_one_that_cannot_run_is_skipped_and_the_others_are_compared(self):
        shown = self.json("compare", TINY, "--dtype", "f32,f16,bf16", "--rounds", "1", "--no-wait", *QUICK)
        self.assertEqual([each["side"] for each in shown["skipped"]], ["f16"])
        self.assertIn("does not support f16", shown["skipped"][0]["reason"])
        self.assertEqual(len(shown["b"]), 1)
        alone = self.strata("compare", TINY, "--dtype", "f32,f16", "--rounds", "1", "--no-wait", *QUICK, code=3)
        self.assertIn("f16: the backend reference does not support f16", alone.stderr)

    def test_there_must_be_two_sides(self):
        self.assertIn("one side to measure", self.strata("compare", TINY, code=2).stderr)

    def test_a_missing_framework_is_reported_before_anything_is_measured(self):
        words = ["compare", TINY, "--batch", "2", "--inference", "--rounds", "1", "--no-wait", *QUICK[2:]]
        self.environment["PATH"] = ""  # whose python3 may have it
        told = self.strata(*words, "--backends", "reference,onnxruntime", code=3).stderr
        self.assertRegex(told, "^strata: there are not two sides to compare: onnxruntime: ONNX Runtime is not there: "
                               "run scripts/peers onnxruntime, .*\n$")
        self.assertEqual(self.rows("SELECT count(*) FROM run"), [])
        done = self.strata(*words, "--backends", "onnxruntime,reference", "--threads", "1,2", "--json")
        self.assertTrue(done.stderr.startswith("strata: the others are compared without onnxruntime, threads 1: "),
                        done.stderr)
        shown = json.loads(done.stdout)
        self.assertEqual([each["side"] for each in shown["skipped"]],
                         ["onnxruntime, threads 1", "onnxruntime, threads 2"])
        self.assertEqual((len(shown["a"]), len(shown["b"])), (1, 1))

    def test_a_choice_that_matches_no_layer_is_reported_before_anything_is_measured(self):
        if not self.has_engine():
            self.skipTest("this strata was built without oneDNN")
        told = self.strata("compare", CONVOLUTION, "--batch", "2", "--choose", "none,conv9 forward=gemm", code=2).stderr
        self.assertEqual(told, "strata: --choose 'conv9 forward=gemm' matches no layer: it needs the name of a "
                               "convolution layer\n")

    def test_the_engine_runs_as_it_was_tuned(self):
        quick = [*QUICK[2:], "--batch", "2", "--inference", "--rounds", "1", "--no-wait"]
        if not self.has_engine():
            self.skipTest("this strata was built without oneDNN")
        self.strata("tune", CONVOLUTION, "--batch", "2", "--inference", "--tune-time", "5", "--no-wait")
        # Whether tuning gains anything depends on the machine, so the test stores a gain itself.
        with contextlib.closing(sqlite3.connect(self.folder / "strata.sqlite")) as database, database:
            database.execute("UPDATE tuning SET algorithm = 'gemm'")
        done = self.strata("compare", CONVOLUTION, "--backends", "onednn,reference", *quick)
        told = "1 of 1 convolution and linear passes are tuned, 1 of them to another algorithm"
        self.assertIn(told, done.stderr)
        self.assertIn("by a stored tuning (strata tune)", " ".join(done.stdout.split()))
        steps = self.json("explain", "1")["runs"][0]["steps"]
        self.assertEqual([step["algorithm"] for step in steps if step["kind"] == "compute"], ["gemm"])
        forced = self.strata("compare", CONVOLUTION, "--algorithm", "direct,gemm", *quick)
        self.assertNotIn("tun", forced.stderr + forced.stdout)

    def test_an_interrupt_loses_nothing(self):
        words = [*self.WORDS, "--max-time", "3", *ENDLESS]
        with self.started(*words) as child:
            self.wait_for("its second run had samples", Interrupts.MIDWAY, child)
            child.send_signal(signal.SIGINT)
            _, said = self.end(child, 130)
        self.assertIn("the same command continues it", said)
        before = dict(self.rows("SELECT id, state FROM run"))
        self.assertEqual(before, {1: "complete", 2: "partial"})
        self.strata(*words)
        self.assertEqual(self.rows("SELECT DISTINCT state FROM run"), [("complete",)])
        self.assertEqual(dict(self.rows("SELECT id, batch FROM run")), {1: 2, 2: 4, 3: 4, 4: 2})


class Signals(Program):
    """SIGINT and SIGTERM end every long-running verb within a second and leave nothing behind."""

    GRID = 'batch = [1]\n[[network]]\nfamily = "fc"\nlayers = { from = 1, to = 400 }\nnodes = { from = 16, to = 512 }\n'

    def check_answer(self, words, how, delay):
        self.environment["TMPDIR"] = str(self.folder / "temporary")
        (self.folder / "temporary").mkdir(exist_ok=True)
        with self.started(*words) as child:
            time.sleep(delay)
            if child.poll() is not None:
                return False
            child.send_signal(how)
            begin = time.monotonic()
            _, err = child.communicate(timeout=PATIENCE)
            self.assertLess(time.monotonic() - begin, ANSWER, f"{words} after {delay} s: {err}")
            if child.returncode == 0:
                return False  # (it was just ending by itself)
            self.assertIn(child.returncode, (130, -how), f"{words}: {err}")
        self.assertEqual(list((self.folder / "temporary").iterdir()), [], words)
        return True

    def test_long_verbs_end_at_once(self):
        (self.folder / "grid.toml").write_text('device = ["v100"]\n' + self.GRID)
        (self.folder / "measured.toml").write_text(self.GRID)
        commands = {
            "run": ["run", "resnet-18", "--backend", "reference", "--no-wait"],
            "verify": ["run", "resnet-18", "--backend", "reference", "--verify", "--no-wait"],
            "sweep": ["sweep", "grid.toml"], "measured": ["sweep", "measured.toml", "--backend", "reference", "--no-wait"],
            "compare": ["compare", TINY, "--batch", "2,4", "--backend", "reference", "--rounds", "50", "--no-wait"],
            "calibrate": ["calibrate"], "predict": ["predict", "resnet-152", "--device", "v100", "--batch", "1..1024"],
            "simulate": ["simulate", "vgg-16", "--device", "v100", "--batch", "64"],
            "reproduce": ["reproduce", "--all"],
            "query": ["query", "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"]}
        if self.has_engine():
            commands |= {"tune": ["tune", "vgg-16", "--batch", "8", "--no-wait"],
                         "algorithms": ["algorithms", "vgg-16", "--batch", "8", "--no-wait"],
                         "own": ["run", "vgg-16", "--batch", "8", "--no-wait"],
                         "overhead": ["overhead", "alexnet", "--batch", "8", "--no-wait"]}
        self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK)
        caught = set()
        for name, words in commands.items():
            for index, delay in enumerate((0.05, 0.5, 1.5)):
                with self.subTest(f"{shlex.join(words)} after {delay} s"):
                    if self.check_answer(words, (signal.SIGINT, signal.SIGTERM)[index % 2], delay):
                        caught.add(name)
        self.assertGreater(len(caught), 5)


class Interrupts(Program):
    """Three runs, interrupted within the second and started again."""

    WORDS = ["run", TINY, "--batch", "1,2,3", "--no-wait", "--max-time", "3", *ENDLESS]
    MIDWAY = """SELECT (SELECT count(*) FROM run WHERE state = 'complete') = 1 AND
                       (SELECT count(*) FROM run JOIN whole ON whole.run = run.id
                        WHERE state = 'partial' AND series = 'end_to_end' AND samples > 0) = 1"""
    RUNS = """SELECT run.id, created, state, samples, sample_values FROM run JOIN whole ON whole.run = run.id
              WHERE series = 'end_to_end' ORDER BY batch"""

    def ended_midway(self, how, code):
        with self.started(*self.WORDS) as child:
            self.wait_for("its second run had samples", self.MIDWAY, child)
            child.send_signal(how)
            return self.end(child, code)

    @staticmethod
    def continues(samples, earlier):
        """Whether samples begin with the earlier ones, or every second, fourth ... of them: a fast
        machine takes more than are kept."""
        values = [earlier[i:i + 8] for i in range(0, len(earlier), 8)]
        return any(samples.startswith(b"".join(values[::stride])) for stride in (1, 2, 4, 8))

    def check_resumed(self):
        """The complete run stays as it is, the partial one gains samples, the third is new."""
        complete, partial = self.rows(self.RUNS)
        self.assertEqual((complete[2], partial[2]), ("complete", "partial"))
        self.assertGreater(partial[3], 0)
        self.assertIn("partial", self.strata("list", "runs").stdout)
        self.strata("explain", str(partial[0]))
        shown = self.json(*self.WORDS, code=4)["runs"]
        self.assertEqual([run["batch"] for run in shown], [1, 2, 3])
        first, second, third = self.rows(self.RUNS)
        self.assertEqual(first, complete)
        self.assertEqual(second[:3], (partial[0], partial[1], "complete"))
        self.assertGreater(second[3], partial[3])
        self.assertTrue(self.continues(second[4], partial[4]), "the samples before the interrupt are not the first")
        self.assertEqual(third[2], "complete")
        self.assertEqual([run["run"] for run in shown], [first[0], second[0], third[0]])

    def test_an_interrupted_command_stores_what_it_has_and_is_resumed_by_the_same_command(self):
        out, err = self.ended_midway(signal.SIGINT, 130)
        self.assertIn("batch 1, training", out)
        stored = self.rows(self.RUNS)[1][0]
        self.assertIn(f"what was measured is stored as run {stored}, and the same command continues it", err)
        self.check_resumed()

    def test_a_killed_command_is_resumed_from_its_last_checkpoint(self):
        self.ended_midway(signal.SIGKILL, -signal.SIGKILL)
        self.check_resumed()

    def test_another_command_does_not_continue_it(self):
        self.ended_midway(signal.SIGTERM, 130)
        self.strata("run", TINY, "--batch", "2", "--no-wait", *QUICK)
        self.assertEqual(self.rows("SELECT count(*) FROM run WHERE state = 'partial'"), [(1,)])


class Grids(Program):
    """`strata sweep`: killed, too slow, and spread over databases."""

    GRID = """
batch = [1, 2]
anchor_every = 5
options = {{ precision = "100%", min_time = {0}, max_time = {0}, warmup = 0 }}
[[network]]
family = "fc"
layers = [1, 2, 3]
nodes = [4, 8]
inputs = 8
outputs = 4
"""

    def grid(self, name="grid", seconds=0.2, more=""):
        (self.folder / f"{name}.toml").write_text(self.GRID.format(seconds) + more)
        return ["sweep", f"{name}.toml", "--backend", "reference", "--no-wait"]

    OUTCOMES = "SELECT outcome, count(*) FROM sweep_point WHERE repeat = 0 GROUP BY outcome"

    def test_a_killed_sweep_continues_and_measures_every_point_once(self):
        words = self.grid()
        with self.started(*words) as child:
            self.wait_for("some points are done", "SELECT count(*) >= 3 FROM sweep_point WHERE outcome = 'ok'", child)
            child.kill()
            child.wait()
        before = dict(self.rows(self.OUTCOMES))
        self.assertLess(before["ok"], 12)
        runs = self.rows("SELECT position, run FROM sweep_point WHERE repeat = 0 AND outcome = 'ok'")
        self.assertIn("12 ok", self.strata(*words).stdout)
        self.assertEqual(self.rows(self.OUTCOMES), [("ok", 12)])
        self.assertLessEqual(set(runs), set(self.rows("SELECT position, run FROM sweep_point WHERE repeat = 0")))
        self.assertEqual(self.rows("SELECT count(DISTINCT run) FROM sweep_point WHERE repeat = 0"), [(12,)])

    def test_an_interrupted_sweep_says_that_it_can_continue(self):
        with self.started(*self.grid(seconds=1)) as child:
            self.wait_for("a point is done", "SELECT count(*) >= 1 FROM sweep_point WHERE outcome = 'ok'", child)
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=PATIENCE)
        self.assertEqual(child.returncode, 130)
        self.assertIn("interrupted; the same command continues it", err)

    def test_a_point_that_takes_too_long_is_ended_and_the_rest_continues(self):
        slow = """
[[network]]
family = "residual"
blocks = 8
filters = 64
"""
        out = self.strata(*self.grid("slow", 0.01, slow), "--max-time", "3", "--anchor-every", "0").stdout
        self.assertIn("12 ok, 2 timeout", out)
        self.assertEqual(self.rows("SELECT DISTINCT reason FROM sweep_point WHERE outcome = 'timeout'"),
                         [("it was ended after 3 s (--max-time)",)])

    def test_shards_in_separate_databases_are_complete_when_merged(self):
        words = self.grid(seconds=0.01)
        for part in ("1", "2", "3"):
            self.strata(*words, "--shard", f"{part}/3", "--database", f"{part}.sqlite")
        for _ in range(2):
            self.strata("merge", "1.sqlite", "2.sqlite", "3.sqlite")
            self.assertEqual(self.rows(self.OUTCOMES), [("ok", 12)])
            self.assertEqual(self.rows("SELECT count(*) FROM run"),
                             self.rows("SELECT count(*) FROM sweep_point"))
        self.assertIn("12 are done, 0 remain", self.strata(*words, "--plan").stdout)


class UnderMpi:
    """Commands of several ranks. Needs mpirun and the module."""

    def setUp(self):
        super().setUp()
        module = pathlib.Path(STRATA).parent / "../lib/strata/libstrata_mpi.so"
        if not shutil.which("mpirun") or not module.exists():
            self.skipTest("needs Open MPI's mpirun, and strata built with it (Debian: libopenmpi-dev openmpi-bin)")
        # (A killed mpirun leaves files of PMIx's shared memory behind: they stay in the test's folder.)
        self.environment.update(TMPDIR=str(self.folder), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def mpirun(self, ranks, *words, recovery=True):
        return ["mpirun", *(["--enable-recovery"] if recovery else []), "--oversubscribe", "--bind-to", "none", "-n",
                str(ranks), STRATA, *words]

    @contextlib.contextmanager
    def launched(self, *command):
        with subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            try:
                yield child
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)

    def run_ranks(self, ranks, *words, code=0, **options):
        with self.launched(*self.mpirun(ranks, *words, **options)) as child:
            return self.end(child, code)

    def processes(self, launcher):
        """The processes of this program that mpirun started, by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == launcher.pid:
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", (entry / "environ").read_bytes())
                    found[int(rank.group(1))] = int(entry.name)
            except (OSError, ValueError, AttributeError, IndexError):
                continue
        return found

    def wait_until(self, what, holds, child):
        give_up = time.monotonic() + PATIENCE
        while not holds():
            self.assertIsNone(child.poll(), f"the command ended before {what}")
            self.assertLess(time.monotonic(), give_up, f"waited in vain for {what}")
            time.sleep(0.01)


class Ranks(UnderMpi, Program):
    """`mpirun strata sweep`: shared by ranks, one of which dies, or all."""

    # Each point, with every step, takes a few milliseconds: one processor needs seconds for all.
    GRID = """
batch = { from = 1, to = 8, factor = 2 }
device = ["v100", "p100"]
[[network]]
family = "fc"
layers = { from = 2, to = 240, step = 2 }
nodes = 512
"""
    POINTS = 960
    OUTCOMES = Grids.OUTCOMES

    def setUp(self):
        super().setUp()
        (self.folder / "grid.toml").write_text(self.GRID)
        (self.folder / "local").mkdir()

    def sweep(self, *words):
        return ["sweep", "grid.toml", "--cores", "1", "--local", "local", *words]

    def wait_for_end(self, process):
        """Waits until a killed process has ended: it may still be writing."""
        give_up = time.monotonic() + PATIENCE
        with contextlib.suppress(OSError):
            while pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                self.assertLess(time.monotonic(), give_up, "waited in vain for the end of a killed process")
                time.sleep(0.001)

    def stored(self, rank):
        """The number of points in the rank's own database."""
        for file in (self.folder / "local").glob(f"*-rank{rank}.sqlite"):
            with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(
                    sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=60)) as database:
                return database.execute("SELECT count(*) FROM sweep_point WHERE outcome <> 'claimed'").fetchone()[0]
        return 0

    def check_whole(self):
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT position) FROM sweep_point"),
                         [(self.POINTS, self.POINTS)])
        self.assertEqual(self.rows(self.OUTCOMES), [("ok", self.POINTS)])
        self.assertEqual(self.rows("SELECT count(DISTINCT run) FROM sweep_point"), [(self.POINTS,)])
        self.assertEqual(list((self.folder / "local").iterdir()), [])

    def test_ranks_share_the_points_and_their_databases_are_joined(self):
        out, _ = self.run_ranks(3, *self.sweep(), recovery=False)
        self.assertIn(f"{self.POINTS} ok", out)
        self.assertIn("by 3 ranks", out)
        self.check_whole()
        self.assertEqual(self.rows("SELECT count(*) FROM run"), [(self.POINTS,)])
        alone = self.strata("sweep", "grid.toml", "--whole", "--database", "alone.sqlite").stdout
        self.assertIn(f"{self.POINTS} ok", alone)
        with contextlib.closing(sqlite3.connect(self.folder / "alone.sqlite")) as database:
            times = "SELECT position, median_s FROM sweep_result ORDER BY position"
            self.assertEqual(self.rows(times), database.execute(times).fetchall())
        out, _ = self.run_ranks(2, *self.sweep(), recovery=False)
        self.assertIn(f"{self.POINTS} are done, 0 remain", out)
        self.assertNotIn("points/s", out)
        self.check_whole()

    def test_others_do_what_a_killed_rank_had_not_stored(self):
        with self.launched(*self.mpirun(3, *self.sweep())) as child:
            self.wait_until("rank 2 has stored something", lambda: self.stored(2) > 0, child)
            os.kill(self.processes(child)[2], signal.SIGKILL)
            out, err = self.end(child, 0)
        self.assertRegex(err, r"strata: rank 2 on \S+ is lost \(its process has died\); the others take over \d+ points")
        self.assertIn(f"{self.POINTS} ok", out)
        self.assertIn("ranks lost: 1", out)
        self.check_whole()

    def test_killed_as_a_whole_it_continues_with_what_any_rank_had_stored(self):
        with self.launched(*self.mpirun(3, *self.sweep())) as child:
            self.wait_until("all have stored something", lambda: min(self.stored(1), self.stored(2)) > 0 and
                            self.rows("SELECT count(*) > 0 FROM sweep_point") == [(1,)], child)
            ranks = self.processes(child)
            self.assertEqual(sorted(ranks), [0, 1, 2])
            for process in [child.pid, *ranks.values()]:
                os.kill(process, signal.SIGKILL)
            child.wait(timeout=PATIENCE)
            for process in ranks.values():
                self.wait_for_end(process)
        before = self.stored(1) + self.stored(2) + self.rows("SELECT count(*) FROM sweep_point")[0][0]
        self.assertGreater(before, 0)
        self.assertLess(before, self.POINTS)
        # One rank fewer: rank 2's database is taken, too.
        out, _ = self.run_ranks(2, *self.sweep())
        self.assertIn(f"{self.POINTS - before} points in", out)
        self.check_whole()

    def test_without_rank_0_the_others_end_and_keep_what_they_have(self):
        with self.launched(*self.mpirun(2, *self.sweep())) as child:
            self.wait_until("rank 1 has stored something", lambda: self.stored(1) > 0, child)
            os.kill(self.processes(child)[0], signal.SIGKILL)
            _, err = child.communicate(timeout=PATIENCE)
        self.assertIn("strata: rank 0 is gone", err)
        out, _ = self.run_ranks(2, *self.sweep())
        self.assertIn(f"{self.POINTS} ok", out)
        self.check_whole()

    def test_an_interrupt_ends_all_ranks_and_the_same_command_continues(self):
        with self.launched(*self.mpirun(2, *self.sweep())) as child:
            self.wait_until("rank 1 has stored something", lambda: self.stored(1) > 0, child)
            os.kill(self.processes(child)[0], signal.SIGINT)
            _, err = child.communicate(timeout=PATIENCE)
        self.assertIn("interrupted; the same command continues it", err)
        self.run_ranks(2, *self.sweep())
        self.check_whole()

    def test_measured_points_are_also_shared(self):
        (self.folder / "tiny.toml").write_text(Grids.GRID.format(0.02))
        out, _ = self.run_ranks(2, "sweep", "tiny.toml", "--backend", "reference", "--no-wait", "--local", "local",
                                recovery=False)
        self.assertIn("12 ok", out)
        self.assertEqual(self.rows(self.OUTCOMES), [("ok", 12)])
        self.assertGreaterEqual(self.rows("SELECT count(*) FROM sweep_point WHERE repeat > 0")[0][0], 2)

    def test_a_rank_that_is_killed_while_it_measures_takes_its_process_with_it(self):
        (self.folder / "tiny.toml").write_text(Grids.GRID.format(0.2))
        words = ["sweep", "tiny.toml", "--backend", "reference", "--no-wait", "--local", "local"]
        with self.launched(*self.mpirun(2, *words)) as child:
            self.wait_until("rank 1 has a point", lambda: self.stored(1) > 0, child)
            os.kill(self.processes(child)[1], signal.SIGKILL)
            out, err = self.end(child, 0)
        self.assertIn("rank 1 on", err)
        self.assertIn("12 ok", out)
        self.assertEqual(self.rows(self.OUTCOMES), [("ok", 12)])
        self.assertEqual(list((self.folder / "local").iterdir()), [])

    def test_without_mpi_one_sentence_says_so(self):
        bare = self.folder / "bare"
        bare.mkdir()
        shutil.copy(STRATA, bare / "strata")
        command = self.mpirun(3, *self.sweep(), recovery=False)
        with self.launched(*[str(bare / "strata") if word == STRATA else word for word in command]) as child:
            _, err = self.end(child, 3)
        self.assertEqual(len(re.findall("strata: .*was built without MPI", err)), 1, err)
        self.assertFalse((self.folder / "strata.sqlite").exists())

    def test_a_sweep_that_rank_0_cannot_begin_ends_all_ranks_with_one_sentence(self):
        for words in (["--device", "v101"], ["--database", str(self.folder)]):
            _, err = self.run_ranks(3, *self.sweep(*words), code=2 if "v101" in words else 1, recovery=False)
            self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)

    def test_a_shard_of_ranks_is_refused_once(self):
        _, err = self.run_ranks(2, *self.sweep("--shard", "1/2"), code=2, recovery=False)
        self.assertEqual(err.count("omit --shard"), 1, err)


class Scaling(UnderMpi, Program):
    """`mpirun strata scale`: a network trained by several ranks."""

    WORDS = ["scale", "fc:layers=3,nodes=64", "--batch", "8", "--backend", "reference", "--no-wait", "--threads", "1"]

    def test_ranks_keep_the_parameters_of_one_worker_and_their_parts_add_up(self):
        for more in (["--overlap", "on,off"], ["--weak", "--bucket", "10kB"]):
            out, err = self.run_ranks(2, *self.WORDS, "--workers", "1,2", "--iterations", "3", "--verify", "--json",
                                      "--layers", *more, recovery=False)
            self.assertIn("parameters of 2 workers differ from those of one worker on the whole batch by", err)
            found = json.loads(out)
            for one in found["divisions"]:
                parts = ("compute_s", "exposed_s", "encoding_s", "bubble_s", "slowest_s", "other_s")
                self.assertAlmostEqual(one["time_s"], sum(one[part] for part in parts), places=9)
                self.assertEqual(one["origin"], "measured")
                self.assertEqual(one["batch"], 8 * (one["devices"] if "--weak" in more else 1))
            exchanged = sum(layer["exchanged_bytes"] for layer in found["layers"] if layer["devices"] == 2 and
                            layer["overlap"] == "on")
            self.assertEqual(exchanged, 4 * (1000 * 64 + 64 + 2 * (64 * 64 + 64) + 64 * 100 + 100))

    def test_compressed_gradients_are_measured_too(self):
        out, _ = self.run_ranks(2, *self.WORDS, "--workers", "2", "--iterations", "2", "--csv", "--compression",
                                "none,bf16,1-bit,top-k", recovery=False)
        rows = list(csv.DictReader(out.splitlines()))
        self.assertEqual([row["compression"] for row in rows], ["none", "bf16", "1-bit", "top-k"])
        self.assertTrue(all(row["speedup"] == "" for row in rows))  # one worker was not measured

    def test_predicted_steps_stand_beside_measured_ones(self):
        out, _ = self.run_ranks(2, *self.WORDS, "--workers", "1,2", "--overlap", "on,off", "--iterations", "2", "--json",
                                "--device", "epyc-7763", "--links", "ethernet-1g", recovery=False)
        found = json.loads(out)["divisions"]
        self.assertEqual([one["origin"] for one in found], 3 * ["measured", "modelled"])
        for measured, predicted in zip(found[::2], found[1::2], strict=True):
            for same in ("batch", "devices", "overlap", "bucket_bytes"):
                self.assertEqual(measured[same], predicted[same])
            self.assertIsNone(measured["off_measured"])
            self.assertAlmostEqual(predicted["off_measured"], predicted["time_s"] / measured["time_s"] - 1)
            self.assertEqual(predicted["links"], "ethernet-1g")
            self.assertEqual(predicted["exposed_s"] > 0, predicted["devices"] == 2)
        for more, sentence in ((["--device", "host", "--links", "ethernet-1g"], "--operators --threads 1"),
                               (["--device", "epyc-7763"], "mpirun -n 2 strata calibrate --collectives"),
                               (["--device", "v101", "--links", "ethernet-1g"], "v101"),
                               (["--device", "epyc-7763", "--links", "string"], "there are no links 'string'")):
            _, err = self.run_ranks(2, *self.WORDS, "--workers", "2", *more, code=None, recovery=False)
            self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)
            self.assertIn(sentence, err)

    def test_parameters_that_differ_end_all_ranks_with_one_sentence(self):
        # Without a loss, the mean over ranks is not the gradient of the whole batch. Rank 2 does not train.
        _, err = self.run_ranks(3, "scale", CONVOLUTION, "--batch", "2", "--backend", "reference", "--no-wait",
                                "--workers", "2", "--verify", code=1, recovery=False)
        self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)
        self.assertIn("or the network has no loss", err)
        self.assertNotIn("did not come", err)

    def test_a_stopped_rank_ends_the_run_with_its_name_and_what_was_complete(self):
        words = [*self.WORDS, "--workers", "1,2", "--limit", "2", "--iterations", "100000"]
        words[words.index("--workers") + 1] = "2"
        with self.launched(*self.mpirun(2, *words, recovery=False)) as child:
            self.wait_until("both ranks run", lambda: len(self.processes(child)) == 2, child)
            time.sleep(2)
            os.kill(self.processes(child)[1], signal.SIGSTOP)
            _, err = child.communicate(timeout=PATIENCE)
        self.assertNotEqual(child.returncode, 0)
        self.assertRegex(err, r"strata: rank 1 did not come to an exchange within 2 s and sends nothing: it is stopped")
        self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)

    def test_a_killed_rank_ends_the_run_with_its_name(self):
        words = [*self.WORDS, "--workers", "2", "--limit", "2", "--iterations", "100000"]
        # mpirun ends the others itself, and names the rank; told to let them live, strata does within the limit.
        for recovery, sentence in ((False, r"process rank 1 .*exited on signal 9"),
                                   (True, r"strata: rank 1 did not come to an exchange within 2 s and sends nothing: it "
                                          r"is stopped or dead")):
            with self.subTest(recovery=recovery), self.launched(*self.mpirun(2, *words, recovery=recovery)) as child:
                self.wait_until("both ranks run", lambda: len(self.processes(child)) == 2, child)
                time.sleep(2)
                os.kill(self.processes(child)[1], signal.SIGKILL)
                _, err = child.communicate(timeout=PATIENCE)
                self.assertTrue(recovery or child.returncode != 0)  # told to let ranks live, mpirun itself ends with 0
                self.assertRegex(err.replace("\n", " "), sentence)
                self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1 if recovery else 0, err)

    def test_bad_requests_are_one_sentence(self):
        for more, sentence, code in ((["--workers", "3"], "--workers 3 needs as many ranks, but there are 2", 2),
                                     (["--workers", "2", "--batch", "7"], "cannot be divided equally among 2", 2),
                                     (["--compression", "zip"], "--compression takes none, bf16", 2)):
            words = [word for word in self.WORDS if "--batch" not in more or word not in ("--batch", "8")]
            _, err = self.run_ranks(2, *words, *more, code=code, recovery=False)
            self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)
            self.assertIn(sentence, err)
        self.assertIn("start it with mpirun", self.strata(*self.WORDS, code=2).stderr)

    def test_ranks_of_different_networks_are_refused(self):
        first = self.mpirun(1, *self.WORDS, "--workers", "2", recovery=False)
        other = [word.replace("nodes=64", "nodes=32") for word in self.WORDS]
        command = [*first, ":", "-n", "1", STRATA, *other, "--workers", "2"]
        with self.launched(*command) as child:
            _, err = self.end(child, 1)
        self.assertIn("rank 1 has another network", err)
        self.assertEqual(len(re.findall("^strata: ", err, re.M)), 1, err)

    def test_rows_without_names_are_of_the_device_and_library_that_are_given(self):
        (self.folder / "bare.csv").write_text("collective,gpus,bytes,ms\nall_reduce,2,1024,0.01\nall_reduce,2,4096,0.02\n")
        words = ["calibrate", "--collectives", "--from", "bare.csv"]
        self.assertIn("--device names the device of the rows", self.strata(*words, code=2).stderr)
        self.strata(*words, "--device", "pair")
        self.assertIn('measured_source = "bare.csv"', (self.folder / "strata/links/pair.toml").read_text())
        words[-1] = str(ROOT / "tests/schema/collectives.csv")
        for more, sentence in ((["--device", "pair"], "pair has rows of named libraries; give --library one of tool"),
                               (["--device", "pair", "--library", "x"], "pair has no rows of library 'x'; give --library"),
                               (["--device", "other"], "no row is of device 'other'; the table has pair")):
            self.assertIn(sentence, self.strata(*words, *more, code=2).stderr)

    def test_collectives_are_measured_and_predict(self):
        self.run_ranks(2, "calibrate", "--collectives", "--no-wait", "--csv", recovery=False)
        links = (self.folder / "strata/links/host.toml").read_text()
        for collective in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"):
            self.assertIn(f'collective = "{collective}", devices = 2', links)
        self.strata("predict", "alexnet", "--device", "epyc-7763", "--batch", "8", "--devices", "1,2", "--links", "host")


class EmulatedLinks(UnderMpi, Program):
    """`scripts/emulated-links`: ranks in network namespaces. Needs the right to create these, and tc's token bucket."""

    SCRIPT = str(ROOT / "scripts/emulated-links")

    def setUp(self):
        super().setUp()
        apart = ["unshare", "--net", "--mount", "--uts", *([] if os.getuid() == 0 else ["--user", "--map-root-user"])]
        needed = ("mount -t tmpfs tmpfs /run && ip netns add a && ip link add s type bridge && ip link add v type veth && "
                  "tc qdisc add dev v root tbf rate 1gbit burst 12500 latency 50ms")
        if any(not shutil.which(program) for program in ("unshare", "nsenter", "ip", "tc")) or subprocess.run(
                [*apart, "sh", "-c", needed], capture_output=True, check=False).returncode != 0:
            self.skipTest("needs root, or user namespaces, and a kernel with bridges and tc's token bucket")

    def ranks(self):
        """Processes of this test's program, with their network namespaces, by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError, AttributeError):
                environment = (entry / "environ").read_bytes()
                if f"XDG_DATA_HOME={self.folder}".encode() in environment.split(b"\0"):
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", environment)
                    found[int(rank.group(1))] = (int(entry.name), os.readlink(entry / "ns/net"))
        return found

    def test_ranks_exchange_at_most_at_the_rate_over_links_of_their_own(self):
        words = [*Scaling.WORDS, "--workers", "2", "--overlap", "off,on", "--iterations", "3", "--json"]
        with self.launched(self.SCRIPT, "--rate", "20mbit", "-n", "2", STRATA, *words) as child:
            out, _ = self.end(child, 0)
        for one in json.loads(out)["divisions"]:
            gradients = 4 * (1000 * 64 + 64 + 2 * (64 * 64 + 64) + 64 * 100 + 100)  # bytes, which each rank sends
            self.assertGreater(one["time_s"], 0.9 * gradients * 8 / 20e6)

    def test_measured_collectives_are_kept_by_the_name_that_is_given(self):
        with self.launched(self.SCRIPT, "--rate", "5gbit", "-n", "2", STRATA, "calibrate", "--collectives", "--no-wait",
                           "--device", "emulated", "--csv") as child:
            self.end(child, 0)
        self.assertFalse((self.folder / "strata/links/host.toml").exists())
        self.assertIn('collective = "all-reduce", devices = 2', (self.folder / "strata/links/emulated.toml").read_text())

    def test_nothing_is_left_of_the_links_however_the_command_ends(self):
        named = sorted(pathlib.Path("/run/netns").glob("*"))
        words = [*Scaling.WORDS, "--workers", "2", "--iterations", "1000000"]
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(end=end), self.launched(self.SCRIPT, "--rate", "1gbit", "-n", "2", STRATA,
                                                      *words) as child:
                self.wait_until("both ranks run", lambda: len(self.ranks()) == 2, child)
                networks = {network for _, network in self.ranks().values()}
                self.assertEqual(len(networks - {os.readlink("/proc/self/ns/net")}), 2)
                os.kill(child.pid, end)
                child.communicate(timeout=PATIENCE)
                give_up = time.monotonic() + PATIENCE
                while self.ranks():
                    self.assertLess(time.monotonic(), give_up, "waited in vain for the end of the ranks")
                    time.sleep(0.01)
                self.assertNotEqual(child.returncode, 0)
        self.assertEqual(sorted(pathlib.Path("/run/netns").glob("*")), named)

    def test_bad_requests_are_one_sentence(self):
        for words, sentence, code in (([], "--rate takes a rate such as 1gbit", 2),
                                      (["--rate", "fast", "true"], "not 'fast'", 2),
                                      (["--rate", "1gbit"], "name the command", 2),
                                      (["--rate", "1gbit", "-n", "0", "true"], "-n takes 1 to 250 ranks, not '0'", 2),
                                      (["--rate", "1gbit", "--delay", "long", "true"], "not 'long'", 2),
                                      (["--rate", "1gbit", "--", "true"], "there is no option --;", 2)):
            done = subprocess.run([self.SCRIPT, *words], env=self.environment, text=True, capture_output=True,
                                  timeout=PATIENCE, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), done.stderr)
            self.assertIn(sentence, done.stderr)

    def test_a_delay_is_emulated_or_refused(self):
        done = subprocess.run([self.SCRIPT, "--rate", "1gbit", "--delay", "30ms", "-n", "2", STRATA, *Scaling.WORDS,
                               "--workers", "2", "--overlap", "off", "--iterations", "3", "--json"], cwd=self.folder,
                              env=self.environment, text=True, capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode == 3:
            self.assertEqual(done.stderr.strip(), "emulated-links: this kernel cannot delay packets (netem is missing); "
                                                  "omit --delay")
            self.skipTest("this kernel cannot delay packets (netem is missing)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["divisions"][0]["time_s"], 0.05)  # there and back


class Turns(Program):
    """Two processes at once. Other strata processes on this machine may measure, too; these wait for them."""

    def test_a_second_process_waits_for_the_first_or_is_flagged(self):
        begun = "SELECT count(*) FROM run WHERE batch = 3"
        with self.started("run", TINY, "--batch", "3", "--max-time", "600", *ENDLESS) as first:
            self.wait_for("the first run began", begun, first)
            beside = self.json("run", TINY, "--batch", "1", "--no-wait", *QUICK)["runs"][0]
            self.assertIn("shared-machine", [doubt["kind"] for doubt in beside["doubts"]])
            with self.started("run", TINY, "--batch", "2", *QUICK) as second:
                told = second.stderr.readline()
                self.assertIn("waiting for another strata", told)
                self.assertEqual(self.rows("SELECT count(*) FROM run WHERE batch = 2"), [(0,)])
                first.send_signal(signal.SIGINT)
                self.end(first, 130)
                self.end(second, 0)
        self.assertEqual(self.rows("SELECT state FROM run WHERE batch = 2"), [("complete",)])

    def test_an_interrupt_ends_the_wait(self):
        with self.started("run", TINY, "--batch", "3", "--max-time", "600", *ENDLESS) as first:
            self.wait_for("the first run began", "SELECT count(*) FROM run WHERE batch = 3", first)
            with self.started("run", TINY, "--batch", "2", *QUICK) as second:
                self.assertIn("waiting", second.stderr.readline())
                second.send_signal(signal.SIGINT)
                self.end(second, 130)
        self.assertEqual(self.rows("SELECT count(*) FROM run WHERE batch = 2"), [(0,)])


class CommandLine(Program):
    """What holds for every option of every verb, as `strata help` lists them."""

    # A value for each placeholder in help. Others are taken literally, or their first choice is.
    VALUES = {"N": "1", "PERCENT": "1%", "SECONDS": "1", "SHARE": "1%", "SIZE": "1GB", "W": "1", "CHOICE": "none",
              "NAME=VALUE": "a=1", "NAME=RANGE": "batch=1,2", "BACKEND=USD": "a=1", "BACKEND=W": "a=1",
              "I/N": "1/2", "WORD": "none"}

    CHOICES = ["a forward=direct", "a forward=gemm"]

    def below(self, *called):
        """The verbs that help lists below a program or verb, with those below them."""
        listed = self.strata("help", *called).stdout
        if not re.search(r"^Usage: .* VERB", listed, re.M):
            return [called]
        names = re.findall(r"^  ([a-z][a-z-]*)(?: |$)", listed.split("\nOptions\n")[0], re.M)
        return [verb for name in names for verb in self.below(*called, name)]

    def test_a_list_does_not_swallow_the_next_argument(self):
        lists = 0
        for verb in self.below():
            shown = self.strata("help", *verb).stdout
            for flag, value in re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)(?:, --[a-z-]+)* (\S+)(?:  |$)", shown, re.M):
                word = value.removesuffix(",…").split("|")[0]
                told = self.strata(*verb, flag, self.VALUES.get(word, word), "this-follows", "--no-such-flag",
                                   code=2).stderr
                self.assertRegex(told, "does not take '(this-follows|--no-such-flag)'", f"{verb} {flag}")
                lists += value.endswith(",…")
        self.assertGreater(lists, 50)

    def test_a_list_before_the_arguments_equals_one_after_them(self):
        for words in ["--columns", "name"], ["--sort", "name"]:
            self.assertEqual(self.strata("list", *words, "operators").stdout,
                             self.strata("list", "operators", *words).stdout)

    def shown_settings(self, words, variables):
        """What --settings prints, as {(verb, option): (value, source)}."""
        done = subprocess.run([STRATA, "--settings", *words], cwd=self.folder, env=dict(self.bare(), **variables), text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, f"{words} {variables}: {done.stderr}")
        return {(verb, flag): (value, source) for verb, flag, value, source in
                re.findall(r"^strata(.*?) (-\S+) (.*) \((.*)\)$", done.stdout, re.M)}

    def bare(self):
        return {name: value for name, value in self.environment.items() if name != "STRATA_DATABASE"}

    def options_of(self, *verb):
        """For each option in help: its flag, three values that it takes, and whether it is a switch."""
        shown = self.strata("help", *verb).stdout
        for flag, value in re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)(?:, --[a-z-]+)*(?: (\S+))?(?:  .*)?$", shown, re.M):
            if flag in ("--help", "--version", "--config", "--settings"):
                continue
            choices = value.removesuffix(",…").split("|")
            first = self.VALUES.get(choices[0], choices[0])
            others = choices[1:] if choices[1:] else self.CHOICES if choices[0] == "CHOICE" else [re.sub("[1-9]", str(digit), first) if re.search("[1-9]", first)
                                                      else f"{first}{digit}" for digit in (2, 3)]
            yield (flag, *((first, others[0], others[-1]) if value else ("true", "true", "true")), not value)

    def arguments_of(self, *verb):
        """Values for the arguments that the verb requires."""
        usage = re.search(r"^Usage: strata (.*)$", self.strata("help", *verb).stdout, re.M).group(1)
        words = [word for word in usage.removesuffix(" [options]").split()[len(verb):] if not word.startswith("[")]
        values = {"STUDY": "frameworks"}
        options = {("analyze", "heat-map"): ["--y", "y"], ("analyze", "speedup"): ["--over", "baseline"],
                   ("what-if",): ["--fuse", "all"]}
        return [values.get(word, "1") for word in words], options.get(verb, [])

    def check_order(self, verb, flag, values, is_switch, before, after):
        """The command line comes first, then the variable, if there is one, and then the file."""
        given, of_variable, of_file = values
        variable = "STRATA_" + flag[2:].upper().replace("-", "_")
        written = "true" if is_switch else json.dumps(of_file)
        (self.folder / "settings.toml").write_text(f"[{'.'.join(verb)}]\n{flag[2:]} = {written}\n")
        word = [flag] if is_switch else [f"{flag}={given}"]
        file = ["--config", "settings.toml"]
        with_word, without = (self.shown_settings([*before, *words, *after], {}).items() for words in (word, []))
        (key, _), = with_word - without
        shown = self.shown_settings([*file, *before, *word, *after], {variable: of_variable})
        self.assertEqual(shown[key], (given, "the command line"), f"{before} {word}")
        shown = self.shown_settings([*file, *before, *after], {variable: of_variable})
        self.assertIn(shown[key], ((of_variable, variable), (of_file, "settings.toml")), f"{before} {word}")
        self.assertEqual(self.shown_settings([*file, *before, *after], {})[key], (of_file, "settings.toml"))
        return shown[key][1] == variable

    def test_the_command_line_comes_before_a_variable_and_a_variable_before_a_file(self):
        walked = with_variable = 0
        for verb in self.below():
            arguments, required = self.arguments_of(*verb)
            for flag, *values, is_switch in self.options_of(*verb):
                with self.subTest(f"{' '.join(verb)} {flag}"):
                    if flag in required:
                        continue
                    with_variable += self.check_order(verb, flag, values, is_switch, verb, [*required, *arguments])
                    walked += 1
        self.assertGreater(walked, 400)
        self.assertGreater(with_variable, 300)

    def test_an_option_before_a_nested_verb_counts_like_one_after_it(self):
        for verb in (verb for verb in self.below() if len(verb) == 2):
            arguments, required = self.arguments_of(*verb)
            for flag, *values, is_switch in self.options_of(verb[0]):
                self.check_order(verb[:1], flag, values, is_switch, verb[:1], [verb[1], *required, *arguments])
                variable = "STRATA_" + flag[2:].upper().replace("-", "_")
                shown = self.shown_settings([verb[0], *([flag] if is_switch else [flag, values[0]]), verb[1], *required,
                                             *arguments], {variable: values[1]})
                self.assertNotIn(variable, [source for _, source in shown.values()], f"{verb} {flag}")

    def test_the_database_of_the_command_line_is_changed(self):
        for name in "ab":
            self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK, "--database", f"{name}.sqlite")
        self.environment["STRATA_DATABASE"] = "a.sqlite"
        before = (self.folder / "a.sqlite").read_bytes()
        for words in (["tag", "last", "mine"], ["note", "last", "text"], ["delete", "last"]):
            told = self.strata("runs", "--database", "b.sqlite", *words).stdout
        self.assertRegex(told, r"^deleted run 1: .* from b\.sqlite\n$")
        self.assertEqual((self.folder / "a.sqlite").read_bytes(), before)
        self.assertIn("from a.sqlite", self.strata("runs", "delete", "last").stdout)

    def test_a_file_of_settings_may_only_name_existing_options(self):
        for text, told in (("[run]\nbach = 1", "strata: the settings in settings.toml: run has no option 'bach'; did you mean batch?"),
                           ("[rum]\nbatch = 1", "has no verb 'rum'"), ("[run]\nbatch = 1979-05-27", "batch needs a text"),
                           ("[run", "settings.toml:1:5: invalid TOML")):
            (self.folder / "settings.toml").write_text(text)
            self.assertIn(told, self.strata("--config", "settings.toml", "list", "operators",
                                            code=1 if "TOML" in told else 2).stderr)
        self.assertIn("'nosuch.toml'", self.strata("--config", "nosuch.toml", "list", "operators", code=2).stderr)
        (self.folder / "settings.toml").write_text('csv = true\n[list]\ncolumns = ["name"]\n')
        self.assertTrue(self.strata("--config", "settings.toml", "list", "operators").stdout.startswith("name\n"))
        self.assertTrue(json.loads(self.strata("--config", "settings.toml", "list", "operators", "--json").stdout))

    # One quick command of each verb, on a database with nothing but run 1.
    QUICK_COMMANDS = {
        "run": [TINY, "--batch", "1", "--no-wait", *QUICK], "algorithms": [TINY, "--backend", "nosuch"],
        "sweep": ["grid.toml", "--plan"], "tune": [TINY, "--dtype", "f16"], "study": ["frameworks", "nosuch"],
        "calibrate": ["--device", "nosuch"], "overhead": ["nosuch"], "predict": [TINY, "--device", "v100"],
        "accuracy": ["nosuch"], "simulate": [TINY, "--device", "v100"], "scale": ["nosuch"],
        "show": [TINY], "list": ["operators"],
        "runs tag": ["last", "mine"], "runs note": ["last", "text"], "runs delete": ["nosuch"], "explain": ["1"],
        "compare": ["1", "1"], "what-if": ["1", "--fuse", "all"], "analyze regression": [], "analyze heat-map": ["--y", "nodes"],
        "analyze boxes": ["--metric", "time"], "analyze roofline": [], "analyze speedup": ["reference", "--over", "reference"],
        "analyze scaling": [], "analyze batches": [], "analyze cost": [], "analyze infeed": [], "analyze correlation": [],
        "analyze ranges": ["grid.toml"], "report": ["1", "-o", "-"], "reproduce": ["--list"], "query": ["select 1"],
        "import": ["nosuch"], "export": ["1"], "merge": ["other.sqlite"], "doctor": [], "completion": [], "help": []}

    def ended(self, words, out="pipe", err="pipe"):
        """How a command ends: its exit code and what it says."""
        into = {"pipe": "", "full": ">/dev/full", "closed": ">&-"}
        line = f"exec {shlex.join([STRATA, *words])} 1{into[out] or '>&1'} 2{into[err] or '>&2'}"
        done = subprocess.run(["sh", "-c", line], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              timeout=PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def check_streams(self, words):
        code, out, said = self.ended(words)
        lost = 1 if out else code
        for way in "full", "closed":
            with self.subTest(f"{shlex.join(words)}: {way}"):
                self.assertEqual(self.ended(words, err=way)[0], code)
                told, _, complaint = self.ended(words, out=way)
                self.assertEqual(told, lost, complaint)
                self.assertEqual(complaint.count("cannot write to standard output: "), 1 if out else 0)
                self.assertEqual(self.ended(words, out=way, err=way)[0], lost)
        return code, out

    def test_output_that_cannot_be_written_is_reported_once_and_stops_nothing_else(self):
        (self.folder / "grid.toml").write_text(Grids.GRID.format(0.01))
        for file in "strata.sqlite", "other.sqlite":
            self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK, "--database", file)
        self.assertEqual({" ".join(verb) for verb in self.below()}, self.QUICK_COMMANDS.keys())
        printed = 0
        for verb, words in self.QUICK_COMMANDS.items():
            self.check_streams([*verb.split(), "--help"])
            self.check_streams([*verb.split(), "--no-such-flag"])
            printed += self.check_streams([*verb.split(), *words])[1] != ""
        self.assertGreater(printed, 20)
        for words in ["--version"], ["--help"], [], ["nosuch"], ["sweep", "grid.toml", "--sbatch", "3"]:
            self.check_streams(words)

    def check_form(self, flag, text):
        """Checks that the text has the form that the option promises."""
        if flag == "--json":
            json.loads(text)
        elif flag == "--csv":
            rows = list(csv.reader(text.splitlines()))
            self.assertGreater(len(rows[0]), 0)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        elif flag == "--md":
            self.assertRegex(text, r"(?m)^\|(---|--:)|^\| ?---|^# ")
            self.assertNotIn("<!DOCTYPE", text)
        elif flag == "--html":
            self.assertTrue(text.startswith("<!DOCTYPE html>"))
        else:
            self.assertRegex(text, "(?m)^set termoption noenhanced$|^# nothing")

    def test_every_verb_gives_every_form_that_it_lists(self):
        (self.folder / "grid.toml").write_text(Grids.GRID.format(0.01))
        self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK)
        checked = 0
        for verb, words in self.QUICK_COMMANDS.items():
            command = [*verb.split(), *words]
            listed = self.strata("help", *verb.split()).stdout
            code, usual, _ = self.ended(command)
            for flag in ("--json", "--csv", "--md", "--html", "--gnuplot"):
                if not re.search(rf"^  {flag} ", listed, re.M) or not usual or code not in (0, 4):
                    continue
                with self.subTest(f"{shlex.join(command)} {flag}"):
                    code, text, said = self.ended([*command, flag])
                    self.assertIn(code, (0, 4), said)
                    self.check_form(flag, text)
                    code, nothing, said = self.ended([*command, flag, "-o", "file"])
                    self.assertEqual((code in (0, 4), nothing), (True, ""), said)
                    self.check_form(flag, (self.folder / "file").read_text())
                    checked += 1
        self.assertGreater(checked, 60)

    def test_a_run_whose_result_cannot_be_shown_is_stored(self):
        for out, err in ("full", "pipe"), ("closed", "closed"), ("pipe", "closed"), ("pipe", "full"):
            self.ended(["run", TINY, "--batch", "1", "--no-wait", *QUICK], out, err)
        self.assertEqual(self.rows("SELECT state, count(*) FROM run GROUP BY state"), [("complete", 4)])
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])

    def test_a_reader_that_has_enough_ends_the_command_quietly(self):
        done = subprocess.run(["bash", "-c", f"{shlex.join([STRATA, 'show', 'resnet-50'])} | head -1"], env=self.environment,
                              text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_a_result_can_be_written_to_devices_and_pipes(self):
        usual = self.strata("list", "operators").stdout
        line = f"{{ echo before; {shlex.quote(STRATA)} list operators -o %s; echo after; }}"
        for place, into in (("/dev/stdout", ">all"), ("/dev/fd/3", ">all 3>&1"), ("/dev/stderr", ">all 2>&1"),
                            ("/dev/stdout", "| cat >all")):
            subprocess.run(["bash", "-c", f"{line % place} {into}"], cwd=self.folder, env=self.environment, check=True)
            self.assertEqual((self.folder / "all").read_text(), f"before\n{usual}after\n", place)
        os.mkfifo(self.folder / "fifo")
        with subprocess.Popen(["cat", "fifo"], cwd=self.folder, text=True, stdout=subprocess.PIPE) as reader:
            self.strata("list", "operators", "-o", "fifo")
            self.assertEqual(reader.communicate(timeout=PATIENCE)[0], usual)
        self.assertIn("No space left", self.strata("list", "operators", "-o", "/dev/full", code=1).stderr)
        self.assertEqual({file.name for file in self.folder.iterdir()}, {"all", "fifo"})

    def test_a_file_is_whole_or_untouched_when_the_command_is_killed(self):
        page = self.folder / "page.html"
        self.strata("show", "densenet-121", "--html", "-o", str(page))
        old, killed = page.read_bytes(), 0
        for delay in range(40):
            with self.started("show", "densenet-121", "--batch", "2", "--html", "-o", str(page)) as child:
                time.sleep(delay / 400)
                child.send_signal((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[delay % 3])
                killed += child.wait(timeout=PATIENCE) != 0
            for file in self.folder.glob("*.new"):  # complete, but killed just before it was renamed
                self.assertTrue(file.read_text().rstrip().endswith("</html>"))
                file.unlink()
            self.assertEqual([file.name for file in self.folder.iterdir()], ["page.html"])
            if page.read_bytes() != old:
                self.assertTrue(page.read_text().rstrip().endswith("</html>"))
        self.assertGreater(killed, 0)

    def test_a_folder_without_permission_is_named(self):
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("every folder is open to root, and setpriv is not there to be another user")
        closed = self.folder / "closed"
        closed.mkdir()
        self.folder.chmod(0o755)
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o755)
        program = self.folder / "strata"
        shutil.copy(STRATA, program)
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        place = f"{closed}/x"
        for words in (["list", "operators", "-o", place], ["runs", "--database", place], ["show", f"{place}.onnx"],
                      ["predict", "alexnet", "--device", "v100", "--database", f"{place}/y"], ["import", place],
                      ["--config", place, "list", "operators"], ["export", "alexnet", "--onnx", place],
                      ["sweep", f"{place}.toml"], ["report", f"{place}:1"],
                      ["predict", "alexnet", "--device", "v100", "--database", place]):
            done = subprocess.run([*other, str(program), *words], cwd=self.folder, env=self.environment, text=True,
                                  capture_output=True, timeout=PATIENCE)
            self.assertIn(done.returncode, (1, 2), words)
            self.assertRegex(done.stderr, rf"^strata: .*{re.escape(place)}.*Permission denied.*\n$")

    def test_a_query_ends_at_its_limits(self):
        self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK)
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select "
        for words, told in ((["count(*) from n", "--max-time", "0.1"], "longer than 0.1 s"),
                            (["i from n", "--max-memory", "50MB"], "more than 50.0 MB")):
            self.environment["STRATA_MAX_TIME"] = "0.001"  # of runs
            self.assertIn(told, self.strata("query", endless + words[0], *words[1:], code=1).stderr)
        self.assertIn("a size with its unit", self.strata("query", "select 1", "--max-memory", "5", code=2).stderr)

    def test_names_that_a_spreadsheet_or_a_page_would_execute_are_shown(self):
        names = ["=cmd|'/c calc'!A1", "+1+1", "@SUM(A1)", "-2+3", "\u202eevil\u202c", "</script><b>"]
        events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 1000.0 * index, "dur": 900}
                  for index, name in enumerate(names)]
        (self.folder / "names.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.strata("import", "names.json")
        for words in ["export", "last"], ["explain", "last", "--csv"], ["query", "select layer from step_time", "--csv"]:
            told = self.strata(*words).stdout
            for name in names[:4]:
                self.assertIn("'" + name, told, words)
                self.assertNotRegex(told, rf"(^|,){re.escape(name)}", words)
                self.assertRegex(self.strata(*words, "--raw").stdout, rf"(?m)(^|,){re.escape(name)}", words)
        for words in (["explain", "last", "--json"], ["export", "last", "--html"], ["export", "last", "--chrome"],
                      ["explain", "last", "--gnuplot"], ["explain", "last", "--md"], ["explain", "last"]):
            told = self.strata(*words).stdout
            self.assertNotIn("\u202e", told, words)
            self.assertNotIn("</script><b>", told if "--html" in words else "")
        self.assertIn("\\u202eevil", self.strata("explain", "last", "--json").stdout)

    def test_help_names_every_exit_code(self):
        told = " ".join(self.strata("--help").stdout.split())
        listed = re.search(r"Exit codes: (.*)\.", told).group(1)
        for value in re.findall(r"= (\d+)", re.search(r"enum class ExitCode : int \{(.*?)\}",
                                                      (ROOT / "src/base/error.h").read_text(), re.S).group(1)):
            self.assertRegex(listed, rf"\b{value} ")


    def test_ambiguous_or_impossible_requests_are_refused(self):
        processors = len(os.sched_getaffinity(0))
        many = str(processors + 1)
        for words, code, told in (
                (["show", TINY, "--fit", "16"], 2, "a size with its unit"),
                (["run", TINY, "--memory", "16"], 2, "a size with its unit"),
                (["run", TINY, "--workspace-limit", "16"], 2, "lacks its unit"),
                (["run", TINY, "--precision", "1"], 2, "1% or 100%"),
                (["compare", "1", "2", "--margin", "2"], 2, "a percentage such as 2%"),
                (["predict", "alexnet", "--device", "a100"], 2, "did you mean a100-40 or a100-80?"),
                (["tune", TINY, "--dtype", "f16"], 2, "does not support f16"),
                (["run", TINY, "--backend", "reference", "--threads", many], 3, f"choose --threads {processors} or fewer"),
                (["compare", TINY, "--backends", "reference", "--threads", f"{many},{processors + 2}"], 3, "or fewer")):
            self.assertIn(told, self.strata(*words, code=code).stderr, words)

    def test_a_report_that_cannot_be_written_whole_leaves_the_old_one(self):
        def on_a_full_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        page = self.folder / "page.html"
        network = self.folder / "network.onnx"
        for words, file in (["show", "alexnet", "--html", "-o", page], page), (["export", TINY, "--onnx", network], network):
            self.strata(*map(str, words))
            old = file.read_bytes()
            self.assertGreater(len(old), 4096)
            done = subprocess.run([STRATA, *map(str, words)], env=self.environment, text=True, capture_output=True,
                                  preexec_fn=on_a_full_disk)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(file.read_bytes(), old)
        self.assertEqual({file.name for file in self.folder.iterdir()}, {"page.html", "network.onnx"})

    def test_a_sweep_ends_with_a_command_that_runs(self):
        shown = self.strata("run", "fc:layers=1", "--vary", "nodes=8,16", "--batch", "2", "--no-wait", *QUICK).stdout
        command = re.findall(r"`strata (.*?)`", shown)[-1]
        self.assertRegex(shown, r"Next: `strata .*` says where the time of nodes \d+ goes\.\n$")
        self.strata(*command.split())

    def test_without_ceilings_the_command_for_this_number_of_threads_is_named(self):
        shown = self.strata("run", TINY, "--batch", "2", "--threads", "1", "--no-wait", *QUICK).stdout
        self.assertIn("`strata calibrate --threads 1`", shown)


class Gates(Program):
    """`compare --fail-on`: 0 if it passes, 5 if it fails, 4 if these samples cannot tell."""

    def imported(self, name, scale, iterations):
        """The run imported from a oneDNN log with this number of equal iterations."""
        lines = ["onednn_verbose,info,oneDNN v2.6.3 (commit 52b5f107dd9cf10910aaa19cb47f3abf9b349815)"]
        shapes = {"ic64oc64": 1.5, "ic64oc128": 2.5, "ic128oc128": 1.25, "ic128oc256": 0.75}
        for _ in range(iterations):
            for shape, milliseconds in shapes.items():
                lines.append("onednn_verbose,exec,cpu,convolution,jit:avx2,forward_training,src_f32::blocked:abcd:f0 "
                             "wei_f32::blocked:Abcd8a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:abcd:f0,,"
                             f"alg:convolution_direct,mb1_{shape}_ih28oh28kh3sh1dh0ph1_iw28ow28kw3sw1dw0pw1,"
                             f"{milliseconds * scale:.6f}")
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return str(self.json("import", name)["steps"][0]["run"])

    def traced(self, name, scale):
        """The run of a Chrome trace of two iterations of three operators."""
        events, at = [], 1000.0
        for step in range(2):
            begin = at
            for index, microseconds in enumerate((300.0, 200.0, 500.0)):
                duration = microseconds * scale
                events.append({"ph": "X", "cat": "cpu_op", "name": f"aten::op{index}", "pid": 1, "tid": 1, "ts": at,
                               "dur": duration, "args": {}})
                at += duration + 1
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                           "ts": begin, "dur": at - begin})
            at += 50
        (self.folder / name).write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return str(self.json("import", name)["steps"][0]["run"])

    def judged(self, before, after, code):
        """The result of a gate of 3 %, on the page and as data, which must agree."""
        done = self.strata("compare", before, after, "--fail-on", "3%", code=code)
        data = json.loads(self.strata("compare", before, after, "--fail-on", "3%", "--json", code=code).stdout)
        judged = data["sum"] if data["whole"]["ratio"] is None else data["whole"]
        if code == 5:
            self.assertEqual(judged["verdict"], "slower")
            self.assertGreater(judged["low"], 1)
            self.assertGreater(judged["ratio"], 1.03)
            self.assertIn("--fail-on allows 3 %.", done.stderr)
        elif code == 4:
            self.assertGreater(judged["high"], 1.03)
            self.assertIn("--fail-on 3 % cannot be judged", done.stderr)
        else:
            self.assertLessEqual(judged["high"], 1.03)
            self.assertEqual(done.stderr, "")
        return done, judged

    def test_imported_profiles_are_judged_by_their_common_steps(self):
        for iterations in 1, 3:
            with self.subTest(iterations=iterations):
                usual = self.imported(f"usual{iterations}.log", 1, iterations)
                twice = self.imported(f"twice{iterations}.log", 2, iterations)
                done, judged = self.judged(usual, twice, code=5)
                self.assertAlmostEqual(judged["ratio"], 2, places=6)
                self.assertIn("cannot be compared end to end", done.stdout)
                self.assertIn("both have, run", done.stdout)
                self.judged(twice, usual, code=0)
                self.judged(usual, usual, code=4)
                near = self.imported(f"near{iterations}.log", 1.05, iterations)
                self.judged(usual, near, code=4)

    def test_traces_are_judged_in_the_same_way(self):
        usual, twice = self.traced("usual.json", 1), self.traced("twice.json", 2)
        self.judged(usual, twice, code=5)
        self.judged(twice, usual, code=0)
        self.judged(usual, usual, code=4)

    def test_an_invalid_threshold_or_file_is_refused_and_not_ignored(self):
        usual = self.traced("usual.json", 1)
        for threshold in ("", "nan%", "5%%", "-1%", "5"):
            self.strata("compare", usual, usual, "--fail-on", threshold, code=2)
        self.strata("runs", "--database", "", code=2)
        self.strata("explain", "last", "-o", "", code=2)
        self.assertIn("seconds", self.strata("runs", "--lock-timeout", "-1", code=2).stderr)

    def test_a_side_that_was_not_measured_is_not_judged(self):
        words = ["compare", TINY, "--backends", "reference,cuda", "--batch", "1,2", "--rounds", "1", "--no-wait", *QUICK[2:],
                 "--fail-on", "100000%"]
        done = subprocess.run([STRATA, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              timeout=PATIENCE)
        if "compared without" not in done.stderr:
            self.skipTest("every backend runs here")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("was not measured", done.stderr)
class Advised(Program):
    """A run's advice works: the commands that real runs print, with tiny limits."""

    LIMITS = {"STRATA_MAX_TIME": "0.3", "STRATA_MIN_TIME": "0", "STRATA_MIN_SAMPLES": "5", "STRATA_TUNE_TIME": "1",
              "STRATA_NO_WAIT": "1"}

    def setUp(self):
        super().setUp()
        self.environment.update(self.LIMITS)

    def measured(self, *words):
        """Returns what a command prints; a busy machine may be too noisy for any precision (exit code 4)."""
        done = subprocess.run([STRATA, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              timeout=PATIENCE)
        self.assertIn(done.returncode, (0, 4), f"{words}: {done.stderr}\n{done.stdout[-1000:]}")
        return done.stdout

    def follow(self, command):
        words = shlex.split(command)
        self.assertEqual(words.pop(0), "strata")
        self.measured(*words)

    def test_each_rule_for_this_engine_prints_a_command_that_runs(self):
        if not self.has_engine():
            self.skipTest("needs strata's own engine for processors")
        self.strata("calibrate")
        asked = {
            "other algorithm": ["convolution(2x32x28x28) out_channels=32 kernel=3x3 pad_begin=1x1 pad_end=1x1"],
            "larger batch": ["fc:layers=2,nodes=512", "--batch", "2"],
            "fusion": ["resnet-18", "--inference", "--batch", "1", "--slice", "layer1.0.*"],
        }
        said = {}
        for remedy, words in asked.items():
            run = json.loads(self.measured("run", *words, "--json"))["runs"][0]
            for finding in run["findings"]:
                if finding["command"]:
                    said.setdefault(finding["remedy"], finding["command"])
            with self.subTest(remedy):
                if remedy not in said:  # noise exceeded every gain
                    self.skipTest(f"the machine is too busy for advice on {remedy}")
                self.follow(said[remedy])

    def test_the_command_that_explains_a_prediction_runs(self):
        run = self.json("predict", "alexnet", "--batch", "4", "--device", "v100")["runs"][0]
        commands = {finding["command"] for finding in run["findings"]}
        self.assertTrue(all(commands))
        self.follow(sorted(commands)[0])


class ExitCodes(Program):
    """For every value of ExitCode, a command that ends with it."""

    def test_done(self):
        self.strata("run", TINY, "--batch", "1", "--no-wait", *QUICK)

    def test_failed(self):
        self.assertIn("there is no database", self.strata("explain", "7", code=1).stderr)

    def test_usage(self):
        self.assertIn("--batch", self.strata("run", TINY, "--batch", "none", code=2).stderr)

    def test_machine_cannot(self):
        told = self.strata("run", TINY, "--batch", "1", "--memory", "1KB", "--no-wait", *QUICK, code=3).stderr
        self.assertIn("--memory gives 1.00 kB", told)
        self.assertEqual(self.rows("SELECT count(*) FROM run"), [(0,)])

    def test_unstable(self):
        run = self.json("run", TINY, "--batch", "1", "--no-wait", "--max-time", "0.2", *ENDLESS, code=4)["runs"][0]
        self.assertIn("imprecise", [doubt["kind"] for doubt in run["doubts"]])

    def test_regression(self):
        many = ["30" if word == "5" and before == "--min-samples" else word
                for before, word in zip(["", *QUICK], QUICK)]
        for _ in range(2):
            self.strata("run", TINY, "--batch", "1", "--no-wait", *many)
        same = self.json("compare", "1", "1", "--margin", "900%", "--fail-on", "900%")
        self.assertEqual(same["whole"]["verdict"], "same")
        self.assertEqual(same["a"], [1])
        layers = sum(layer["a_s"] for layer in same["layers"])
        self.assertAlmostEqual(layers + same["unmatched"]["a_s"] + same["outside"]["a_s"], same["whole"]["a_s"])
        # The network at 1,024 times the batch takes a different time.
        self.strata("run", TINY, "--batch", "1024", "--no-wait", *many)
        told = self.strata("compare", "1", "last", "--fail-on", "3%", code=5).stderr
        self.assertRegex(told, r"^strata: Run 3 \(batch 1024\) takes .* times as long as run 1 \(batch 1\) .* --fail-on allows 3 %\.$")

    def test_interrupted(self):
        with self.started("run", TINY, "--batch", "1", "--no-wait", "--max-time", "600", *ENDLESS) as child:
            self.wait_for("the run began", "SELECT count(*) FROM run", child)
            child.send_signal(signal.SIGINT)
            self.end(child, 130)

    def test_there_is_a_test_of_each(self):
        values = re.search(r"enum class ExitCode : int \{(.*?)\}", (ROOT / "src/base/error.h").read_text(), re.S)
        names = set(re.findall(r"(\w+) = \d+", values.group(1)))
        self.assertIn("done", names)
        for name in names:
            self.assertTrue(hasattr(self, f"test_{name}"), f"no command reaches {name}")


def main():
    global STRATA
    strata, *words = sys.argv[1:]
    STRATA = str(pathlib.Path(strata).resolve())
    if words[:1] == ["--classes"]:
        missing = {one.__name__ for one in Program.__subclasses__()} ^ set(words[1:])
        return f"not both here and in the build list: {', '.join(sorted(missing))}" if missing else 0
    return not unittest.main(argv=[sys.argv[0], "-v", *words], exit=False).result.wasSuccessful()


sys.exit(main())
