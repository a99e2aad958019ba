# SPDX-License-Identifier: MIT
"""Every intermediate tensor of a network, strata against ONNX Runtime.

usage: compare.py STRATA [NETWORK...]

A network is one of the nine classic ones, one of made.py, an .onnx file or a folder of such files;
without any, all of the first two. Prints a line for each: tensors compared, how many strata left out
because it knows them without computing or cannot compute them, the worst error (largest difference
over the largest expected magnitude of that tensor) and where. Ends with 1 where one exceeds the
tolerance, cannot be compared or, but for files, is left out, and with 77, which CTest takes for
skipped, where the Python packages are missing.

STRATA_COMPARE_VERBOSE=1 names what is left out.
"""

import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
TOLERANCE = 1e-4
# A tensor that is smaller throughout is judged by this magnitude: a signal that random weights let
# vanish is made of subnormal numbers, which fast arithmetic takes for zero.
LEAST_SCALE = 1e-25
WORDS = 32  # every vocabulary has as many

try:
    import numpy
    import onnx
    import onnxruntime
    import made
    from networks import computed_tensors, inputs_of, light_networks, with_random_weights
except ImportError as missing:
    print(f"skipped: {missing}; install the Python packages numpy, onnx and onnxruntime, and name "
          "their interpreter in STRATA_PYTHON")
    sys.exit(SKIPPED)


def file_name(tensor):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", tensor) + ".npy"


def open_extents(model):
    """Values for the extents that the inputs leave open, by name: 2 of the first axis, else 8."""
    extents = {}
    for value in inputs_of(model):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param:
                extents.setdefault(dim.dim_param, 8 if axis else 2)
    return extents


def random_inputs(model, seed):
    """Image-like values, or numbers of words, for every input, by name."""
    random = numpy.random.default_rng(seed)
    extents = open_extents(model)
    values = {}
    for value in inputs_of(model):
        kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        shape = [extents.get(dim.dim_param, dim.dim_value or 1)
                 for dim in value.type.tensor_type.shape.dim]
        drawn = random.normal(0.0, 1.0, shape) if kind == numpy.float32 else \
            random.integers(0, WORDS, shape)
        values[value.name] = drawn.astype(kind)
    return values


def expected_values(model, inputs, names):
    """What ONNX Runtime computes for `names`, unoptimised so that no tensor is fused away."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    outputs = {value.name for value in exposed.graph.output}
    for name in names:
        if name not in outputs:
            exposed.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(exposed.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, inputs)))


def run_strata(strata, folder, inputs, extents):
    """Runs the model in `folder`; every tensor is left in its folder dump."""
    command = [strata, "run", os.path.join(folder, "model.onnx"), "--inference",
               "--dump", os.path.join(folder, "dump"), "--layer", "*",
               "--min-time", "0", "--max-time", "0.001"]
    for number, (name, values) in enumerate(inputs.items()):
        path = os.path.join(folder, f"input{number}.npy")
        numpy.save(path, values)
        command += ["--input", f"{name}={path}"]
    for name, extent in extents.items():
        command += ["--dim", f"{name}={extent}"]
    environment = dict(os.environ, STRATA_DATABASE=os.path.join(folder, "runs.sqlite"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):  # 4: measured, but not stable, which is no matter here
        raise RuntimeError(f"strata run ended with {done.returncode}: {done.stderr.strip()}")


def error_of(actual, expected):
    if actual.shape != expected.shape:
        return float("inf")
    expected = expected.astype(numpy.float64)
    finite = expected[numpy.isfinite(expected)]
    scale = max(float(numpy.abs(finite).max(initial=0.0)), LEAST_SCALE)
    with numpy.errstate(invalid="ignore"):
        difference = numpy.abs(actual.astype(numpy.float64) - expected)
    difference[actual == expected] = 0.0  # infinities
    difference[numpy.isnan(actual) & numpy.isnan(expected)] = 0.0
    error = float(difference.max(initial=0.0)) / scale
    return error if error == error else float("inf")


def model_of(network):
    """A model with weights worth computing with."""
    if network in made.NETWORKS:
        return made.NETWORKS[network]()
    if network in classic_networks():
        return with_random_weights(classic_networks()[network], seed=1)
    return onnx.load(network)


def classic_networks():
    return {os.path.basename(path).removeprefix("light_").removesuffix(".onnx"): path
            for path in light_networks()}


def compare(strata, network):
    """(tensors compared, tensors left out, worst error, its tensor) of one network."""
    model = model_of(network)
    inputs = random_inputs(model, seed=2)
    names = computed_tensors(model)
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, os.path.join(folder, "model.onnx"))
        run_strata(strata, folder, inputs, open_extents(model))
        expected = expected_values(model, inputs, names)
        worst, where, left_out = 0.0, "", []
        for name in names:
            dumped = os.path.join(folder, "dump", file_name(name))
            if not os.path.exists(dumped):
                left_out.append(name)
                continue
            error = error_of(numpy.load(dumped), numpy.asarray(expected[name]))
            worst, where = max((worst, where), (error, name))
    return len(names) - len(left_out), left_out, worst, where


def networks_of(arguments):
    """The arguments, a folder as the files in it, the small ones first."""
    for argument in arguments or [*classic_networks(), *made.NETWORKS]:
        if os.path.isdir(argument):
            yield from sorted(glob.glob(os.path.join(argument, "*.onnx")), key=os.path.getsize)
        else:
            yield argument


def compare_alone(strata, network):
    """compare in a process of its own, which gives the memory of its tensors back."""
    with concurrent.futures.ProcessPoolExecutor(1) as process:
        return process.submit(compare, strata, network).result()


def passes(strata, network):
    """Prints the line of one network; whether it agrees."""
    name = os.path.basename(network).removesuffix(".onnx")
    try:
        count, left_out, worst, where = compare_alone(strata, network)
    except Exception as refusal:  # whatever either side throws: the others go on
        print(f"{name:36} cannot be compared: {str(refusal)[:600]}", flush=True)
        return False
    exceeds = worst > TOLERANCE
    verdict = "  exceeds the tolerance" if exceeds else ""
    print(f"{name:36} {count:8} {len(left_out):9} {worst:12.1e}  {where}{verdict}", flush=True)
    if left_out and os.environ.get("STRATA_COMPARE_VERBOSE"):
        print("  left out:", " ".join(left_out))
    return not exceeds and (not left_out or network.endswith(".onnx"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(f"{'network':36} {'tensors':>8} {'left out':>9} {'worst error':>12}  where")
    verdicts = [passes(sys.argv[1], network) for network in networks_of(sys.argv[2:])]
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    main()
