# SPDX-License-Identifier: MIT
"""A PyTorch module becomes an ONNX file, and that becomes a Profile."""
import contextlib
import io
import logging
import os
import pathlib
import tempfile
import warnings

from .program import Error, flags_of, json_of
from .results import Comparison, Profile, stored_run

EXPORTERS = ("dynamo", "torchscript")


def profile(module, example_inputs=None, *, batch=None, train=True, backend="onednn", exporter="auto",
            compare_with=None, rounds=None, onnx=None, database=None, **options):
    """Measures a network layer by layer and returns a Profile.

    module          a torch.nn.Module, or a network that `strata run` takes: a name, a file
    example_inputs the module's arguments: a tensor, a tuple, or a dict of keyword arguments
    batch           examples per step; by default those of the example inputs, or of the file
    train           a training step (forward, backward, update), not inference
    backend         what runs it: "onednn", "cuda", "reference", ...
    exporter        "dynamo", "torchscript", or "auto": the first of these that accepts the module
    compare_with    a further backend, such as "pytorch": both are measured in turn, `rounds` processes
                    each, and the profile of the first has a `comparison` with the second
    onnx            where to keep the exported file; without it, the file is deleted
    database        the file in which the run is stored; by default the user's own
    options         further options of `strata run`: threads=2, dtype="bf16", max_time=5, verify=True

    Throws strata.Error, in one sentence."""
    words = flags_of({"batch": batch, "inference": not train, **options})
    if isinstance(module, (str, os.PathLike)):
        return _measured(str(module), words, backend, compare_with, rounds, database)
    with tempfile.TemporaryDirectory(prefix="strata-") as folder:
        path = pathlib.Path(onnx) if onnx is not None else pathlib.Path(folder, f"{type(module).__name__}.onnx")
        used = export(module, example_inputs, path, train=train, exporter=exporter)
        result = _measured(str(path), words, backend, compare_with, rounds, database)
    result.exporter = used
    return result


def _measured(network, words, backend, compare_with, rounds, database):
    if compare_with is None:
        printed = json_of("run", network, *words, "--backend", backend, database=database)
        return stored_run(printed["runs"][0]["run"], database)
    backends = ["--backends", f"{backend},{compare_with}"]
    rounds = ["--rounds", rounds] if rounds else []
    compared = json_of("compare", network, *words, *backends, *rounds, database=database)
    for side in compared.get("skipped", []):
        raise Error(f"{side['side']} cannot be compared: {side['reason']}")
    result = stored_run(compared["a"][-1], database)
    result.comparison = Comparison(compared)
    return result


def export(module, example_inputs, path, *, train=True, exporter="auto"):
    """Writes the module as ONNX, in training form or for inference, and leaves it as it was. Returns the exporter that
    accepted it; throws Error with each one's last message."""
    if exporter not in ("auto", *EXPORTERS):
        raise Error(f"exporter cannot be '{exporter}': choose auto, dynamo or torchscript")
    torch = _torch()
    if not isinstance(module, torch.nn.Module):
        raise Error(f"cannot profile a {type(module).__name__}: give a torch.nn.Module or the name of a network")
    if example_inputs is None:
        raise Error("example_inputs are missing: give what the module is called with")
    refusals = []
    for name in EXPORTERS if exporter == "auto" else (exporter,):
        try:
            with _kept_as_it_is(torch, module, train), _quiet() as said:
                _export(torch, module, example_inputs, path, train, name)
            return name
        except Exception as error:  # whatever an exporter throws: the next one may accept the module
            refusals.append(f"{name}: {_last_line(error, said)}")
    raise Error(f"{type(module).__name__} could not be exported to ONNX ({'; '.join(refusals)})")


def _torch():
    try:
        import torch
    except ImportError as error:
        raise Error(f"a module needs PyTorch, which cannot be imported ({error}); install torch, onnx and "
                    "onnxscript") from None
    return torch


# docs/pytorch.md explains each of these.
def _export(torch, module, example_inputs, path, train, name):
    is_named = isinstance(example_inputs, dict)
    args = () if is_named else tuple(example_inputs) if isinstance(example_inputs, (list, tuple)) else (example_inputs,)
    kwargs = example_inputs if is_named else None
    if name == "dynamo":
        torch.onnx.export(module, args, str(path), kwargs=kwargs, dynamo=True, optimize=not train, verbose=False)
    else:
        mode = torch.onnx.TrainingMode.TRAINING if train else torch.onnx.TrainingMode.EVAL
        torch.onnx.export(module, args, str(path), kwargs=kwargs, dynamo=False, opset_version=17, training=mode,
                          do_constant_folding=not train)


@contextlib.contextmanager
def _kept_as_it_is(torch, module, train):
    """Training or evaluation mode within the block; afterwards every module's mode and every buffer is restored,
    because the older exporter runs the module and so changes running statistics."""
    modes = {part: part.training for part in module.modules()}
    buffers = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
    module.train(train)
    try:
        with torch.random.fork_rng():
            yield
    finally:
        for part, mode in modes.items():
            part.training = mode
        with torch.no_grad():
            for name, buffer in module.named_buffers():
                if name in buffers:
                    buffer.copy_(buffers[name])


@contextlib.contextmanager
def _quiet():
    """Hides the exporters' progress and warnings."""
    said = io.StringIO()
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            warnings.simplefilter("ignore")
            yield said
    finally:
        logging.disable(level)


def _last_line(error, said):
    lines = [line.strip() for text in (said.getvalue(), str(error)) for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
