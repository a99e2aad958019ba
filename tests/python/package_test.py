#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package against the built program, and against PyTorch where it is installed.

    package_test.py STRATA [CLASS[.TEST]]...

Exit 77 (skipped) where pandas is missing, or all tests were skipped. Networks are tiny and run on the
reference backend; nothing is expected of times."""
import os
import pathlib
import stat
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
try:
    import pandas
except ImportError:
    print("skipped: this interpreter has no pandas; name one that has it in STRATA_PYTHON or STRATA_TORCH_PYTHON")
    sys.exit(77)
try:
    import onnx  # noqa: F401
    import onnxscript  # noqa: F401
    import torch
except ImportError:
    torch = None
import strata

NETWORK = "fc:layers=2,nodes=8"
QUICK = dict(backend="reference", max_time=5, min_time=0, min_samples=5, precision="100%", no_wait=True)


class Package(unittest.TestCase):
    """A database of the test's own, and nothing of the caller's settings."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        for name in [name for name in os.environ if name.startswith("STRATA_")]:
            del os.environ[name]
        os.environ.update(STRATA_BINARY=STRATA, XDG_DATA_HOME=scratch.name,
                          STRATA_DATABASE=str(self.folder / "strata.sqlite"))

    def sentence_of(self, call):
        """The error's one sentence."""
        with self.assertRaises(strata.Error) as caught:
            call()
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def program(self, script):
        """A program in place of strata."""
        path = self.folder / "strata"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)


class Results(Package):
    def test_layers_have_a_row_for_each_layer_and_pass(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)
        self.assertFalse(profile.layers.duplicated(["layer", "pass"]).any())
        measured = profile.steps[profile.steps["status"] == "measured"]
        self.assertEqual(set(zip(profile.layers["layer"], profile.layers["pass"])),
                         set(zip(measured["layer"], measured["pass"])))
        for name in ("time_s", "share", "flop_per_s"):
            self.assertEqual(profile.layers[name].dtype, float, name)
        self.assertAlmostEqual(profile.layers["share"].sum(), 1)
        self.assertGreater(profile.whole["end_to_end_s"], 0)

    def test_what_was_not_measured_is_nan(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)  # not calibrated
        self.assertTrue(profile.layers["ceiling_share"].isna().all())
        self.assertTrue(profile.steps["ceiling_share"].isna().all())

    def test_inference_has_no_backward_pass(self):
        profile = strata.profile(NETWORK, batch=2, train=False, **QUICK)
        self.assertEqual(set(profile.layers["pass"]), {"forward"})
        self.assertEqual(profile.run["mode"], "inference")

    def test_a_file_that_strata_wrote_is_profiled(self):
        path = self.folder / "net.onnx"
        strata.program.text_of("export", NETWORK, "--batch", 3, "--onnx", path)
        profile = strata.profile(path, **QUICK)
        self.assertEqual(profile.run["batch"], 3)
        self.assertIn("fc0", set(profile.layers["layer"]))

    def test_stored_runs_are_loaded_and_queried(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)
        database = strata.open()
        self.assertEqual(list(database.runs["run"]), [profile.id])
        pandas.testing.assert_frame_equal(database.load(profile.id).layers, profile.layers)
        pandas.testing.assert_frame_equal(database.load("last").steps, profile.steps)
        self.assertEqual(database.query("SELECT batch FROM run_summary")["batch"].tolist(), [2])
        self.assertEqual(len(database.query("SELECT batch FROM run_summary WHERE batch = 9")), 0)

    def test_a_database_of_ones_own(self):
        path = self.folder / "other.sqlite"
        profile = strata.profile(NETWORK, batch=2, database=path, **QUICK)
        self.assertEqual(list(strata.open(path).runs["run"]), [profile.id])
        self.assertFalse((self.folder / "strata.sqlite").exists())
        here = strata.profile(NETWORK, batch=4, **QUICK)
        self.assertEqual(here.compare(profile).data["differences"][0]["setting"], "batch")

    def test_two_runs_are_compared(self):
        first, second = (strata.profile(NETWORK, batch=batch, **QUICK) for batch in (2, 64))
        comparison = first.compare(second)
        self.assertIn(comparison.verdict, ("faster", "slower", "same", "unclear"))
        self.assertGreater(comparison.ratio, 0)
        self.assertEqual(set(zip(comparison.layers["layer"], comparison.layers["pass"])),
                         set(zip(first.layers["layer"], first.layers["pass"])))
        self.assertEqual(first.compare(second.id).data, comparison.data)
        self.assertIn(comparison.verdict, comparison._repr_html_())

    def test_a_report_is_a_page(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)
        self.assertIn("<html", profile.report())
        path = self.folder / "page.html"
        self.assertEqual(profile.report(path), path)
        self.assertIn("<html", path.read_text())
        self.assertIn("fc0", profile.explain())


class Notebook(Package):
    def test_a_cell_shows_layers_with_their_passes_and_the_origin(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)
        cell = profile._repr_html_()
        for text in ("<th", "forward [ms]", "backward weights [ms]", ">fc0<", "measured on", f"run {profile.id}",
                     "ms an iteration"):
            self.assertIn(text, cell)

    def test_names_from_a_file_are_escaped(self):
        profile = strata.profile(NETWORK, batch=2, **QUICK)
        hostile = "<script>alert('1')</script>"
        for row in profile.run["groups"]:
            row["layer"] = hostile
        profile.run["network"] = "<img src=x onerror=alert(1)>"
        profile.run["provenance"]["cpu.model"] = hostile
        profile.run["doubts"] = [{"kind": "x", "sentence": hostile}]
        cell = profile._repr_html_()
        self.assertNotIn("<script", cell)
        self.assertNotIn("<img", cell)
        self.assertEqual(cell.count("&lt;script&gt;"), 3)


class Errors(Package):
    def test_a_missing_program_is_told_in_a_sentence(self):
        os.environ["STRATA_BINARY"] = "/nowhere/strata"
        self.assertIn("STRATA_BINARY", self.sentence_of(lambda: strata.profile(NETWORK)))
        del os.environ["STRATA_BINARY"]
        os.environ["PATH"] = str(self.folder)
        built = strata.program.__file__
        self.addCleanup(setattr, strata.program, "__file__", built)
        strata.program.__file__ = str(self.folder / "site-packages" / "strata" / "program.py")
        self.assertIn("was not found", self.sentence_of(strata.find))

    def test_the_program_in_the_path_is_found_before_the_tree(self):
        del os.environ["STRATA_BINARY"]
        path = self.program("exit 1\n")
        os.environ["PATH"] = str(self.folder)
        self.assertEqual(str(strata.find()), path)

    def test_what_strata_says_is_the_error(self):
        self.assertEqual(self.sentence_of(lambda: strata.open()).split(";")[0],
                         f"there is no database {self.folder}/strata.sqlite yet")
        self.assertIn("nosuchnet", self.sentence_of(lambda: strata.profile("nosuchnet", **QUICK)))
        self.assertIn("--no-such-option",
                      self.sentence_of(lambda: strata.profile(NETWORK, no_such_option=1, **QUICK)))
        self.assertIn("nosuch", self.sentence_of(lambda: strata.profile(NETWORK, backend="nosuch")))
        self.assertIn("nosuch", self.sentence_of(lambda: strata.profile(NETWORK, compare_with="nosuch", **QUICK)))

    def test_another_program_of_that_name_is_told(self):
        os.environ["STRATA_BINARY"] = self.program("echo hello\n")
        self.assertIn("printed no JSON", self.sentence_of(strata.open))
        os.environ["STRATA_BINARY"] = self.program("exit 9\n")
        self.assertIn("exit code 9", self.sentence_of(strata.open))

    def test_what_is_no_module_is_refused(self):
        if torch is None:
            self.assertIn("PyTorch", self.sentence_of(lambda: strata.profile(3, 4)))
        else:
            self.assertIn("int", self.sentence_of(lambda: strata.profile(3, 4)))


def small_network():
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = torch.nn.Conv2d(4, 4, 3, padding=1)
            self.bn1 = torch.nn.BatchNorm2d(4)
            self.relu = torch.nn.ReLU()

        def forward(self, x):
            return self.relu(self.relu(self.bn1(self.conv1(x))) + x)

    return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, padding=1), Block(), torch.nn.Flatten(),
                               torch.nn.Linear(256, 5))


@unittest.skipIf(torch is None, "this interpreter has not torch, onnx and onnxscript: name one in STRATA_TORCH_PYTHON")
class Modules(Package):
    def names_by(self, exporter, **options):
        profile = strata.profile(small_network(), torch.randn(2, 3, 8, 8), exporter=exporter, **options, **QUICK)
        self.assertEqual(profile.exporter, exporter)
        return list(dict.fromkeys(profile.layers["layer"]))

    def test_layers_are_named_by_their_modules_with_either_exporter(self):
        names = self.names_by("dynamo")
        for name in ("0", "1.conv1", "1.bn1", "1.relu", "1.add", "1.relu_2", "3"):
            self.assertIn(name, names)
        self.assertEqual(self.names_by("torchscript"), names)

    def test_auto_says_which_exporter_it_was_and_leaves_the_module_as_it_was(self):
        module = small_network().eval()
        before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
        for exporter in ("auto", "torchscript"):
            profile = strata.profile(module, torch.randn(2, 3, 8, 8), exporter=exporter, **QUICK)
            self.assertIn(profile.exporter, ("dynamo", "torchscript"))
        self.assertFalse(any(part.training for part in module.modules()))
        for name, tensor in module.state_dict().items():
            self.assertTrue(torch.equal(tensor, before[name]), name)

    def test_the_exported_file_stays_where_it_is_asked_for(self):
        path = self.folder / "net.onnx"
        strata.profile(small_network(), (torch.randn(2, 3, 8, 8),), onnx=path, exporter="torchscript", **QUICK)
        self.assertGreater(path.stat().st_size, 0)

    def test_inference_is_exported_without_normalisations(self):
        self.assertNotIn("1.bn1", self.names_by("dynamo", train=False))

    def test_a_module_that_no_exporter_takes_is_told(self):
        class Hopeless(torch.nn.Module):
            def forward(self, x):
                raise ValueError("a module of no use")

        sentence = self.sentence_of(lambda: strata.profile(Hopeless(), torch.randn(1)))
        self.assertIn("dynamo:", sentence)
        self.assertIn("torchscript: a module of no use", sentence)


if __name__ == "__main__":
    STRATA = str(pathlib.Path(sys.argv[1]).resolve())
    outcome = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=1).result
    skipped_all = outcome.testsRun > 0 and len(outcome.skipped) == outcome.testsRun
    sys.exit(1 if not outcome.wasSuccessful() else 77 if skipped_all else 0)
