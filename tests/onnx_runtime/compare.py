# SPDX-License-Identifier: MIT
"""Every intermediate tensor of the nine classic networks, strata against ONNX Runtime.

usage: compare.py STRATA [NETWORK...]

Prints a line for each network: tensors compared, the worst error (largest difference over the
largest expected magnitude of that tensor) and where. Ends with 1 where one exceeds the tolerance
and with 77, which CTest takes for skipped, where the Python packages are missing.
"""

import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
TOLERANCE = 1e-4

try:
    import numpy
    import onnx
    import onnxruntime
    from networks import computed_tensors, inputs_of, light_networks, with_random_weights
except ImportError as missing:
    print(f"skipped: {missing}; install the Python packages numpy, onnx and onnxruntime, and name "
          "their interpreter in STRATA_PYTHON")
    sys.exit(SKIPPED)


def file_name(tensor):
    return re.sub(r"[^A-Za-z0-9_.-]", "_", tensor) + ".npy"


def random_inputs(model, seed):
    """Image-like values for every input, by name."""
    random = numpy.random.default_rng(seed)
    values = {}
    for value in inputs_of(model):
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        values[value.name] = random.normal(0.0, 1.0, shape).astype(numpy.float32)
    return values


def expected_values(model, inputs, names):
    """What ONNX Runtime computes for `names`, unoptimised so that no tensor is fused away."""
    exposed = onnx.ModelProto()
    exposed.CopyFrom(model)
    outputs = {value.name for value in exposed.graph.output}
    for name in names:
        if name not in outputs:
            exposed.graph.output.append(
                onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(exposed.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, inputs)))


def run_strata(strata, folder, inputs):
    """Runs the model in `folder`; every tensor is left in its folder dump."""
    command = [strata, "run", os.path.join(folder, "model.onnx"), "--inference",
               "--dump", os.path.join(folder, "dump"), "--layer", "*",
               "--min-time", "0", "--max-time", "0"]
    for number, (name, values) in enumerate(inputs.items()):
        path = os.path.join(folder, f"input{number}.npy")
        numpy.save(path, values)
        command += ["--input", f"{name}={path}"]
    environment = dict(os.environ, STRATA_DATABASE=os.path.join(folder, "runs.sqlite"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):  # 4: measured, but not stable, which is no matter here
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")


def error_of(actual, expected):
    if actual.shape != expected.shape:
        return float("inf")
    scale = max(float(numpy.abs(expected).max()), numpy.finfo(numpy.float32).tiny)
    error = float(numpy.abs(actual.astype(numpy.float64) - expected).max()) / scale
    return error if error == error else float("inf")


def compare(strata, path):
    """(tensors compared, worst error, its tensor) of one network."""
    model = with_random_weights(path, seed=1)
    inputs = random_inputs(model, seed=2)
    names = computed_tensors(model)
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, os.path.join(folder, "model.onnx"))
        run_strata(strata, folder, inputs)
        expected = expected_values(model, inputs, names)
        worst, where = 0.0, ""
        for name in names:
            dumped = os.path.join(folder, "dump", file_name(name))
            if not os.path.exists(dumped):
                sys.exit(f"{path}: strata left no {file_name(name)} for tensor '{name}'")
            error = error_of(numpy.load(dumped), expected[name])
            worst, where = max((worst, where), (error, name))
    return len(names), worst, where


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted = sys.argv[2:]
    failed = False
    print(f"{'network':24} {'tensors':>8} {'worst error':>12}  where")
    for path in light_networks():
        name = os.path.basename(path).removeprefix("light_").removesuffix(".onnx")
        if wanted and name not in wanted:
            continue
        count, worst, where = compare(sys.argv[1], path)
        failed = failed or worst > TOLERANCE
        verdict = "" if worst <= TOLERANCE else "  exceeds the tolerance"
        print(f"{name:24} {count:8} {worst:12.1e}  {where}{verdict}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
