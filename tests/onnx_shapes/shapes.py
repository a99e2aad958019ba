# SPDX-License-Identifier: MIT
"""shapes.py STRATA: what `strata show` says of one-node models against onnx.shape_inference, for operators that
nothing here computes or that lie behind types that nothing here computes with. 77 (skipped) without the package."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    from onnx import TensorProto as T
    from onnx import helper
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

F = T.FLOAT
LATEST = min(onnx.defs.onnx_opset_version(), 24)

# operator: (extents and types of the inputs; a list of numbers is a constant), attributes
CASES = {
    "QuantizeLinear": ([(2, 3, 4), [0.5]], {"output_dtype": T.INT8}),
    "DequantizeLinear": ([((2, 8), T.INT4), [0.5]], {}),
    "DynamicQuantizeLinear": ([(2, 3)], {}),
    "MatMulInteger": ([((4, 5), T.UINT8), ((5, 6), T.INT8)], {}),
    "ConvInteger": ([((1, 3, 8, 8), T.UINT8), ((4, 3, 3, 3), T.UINT8)], {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    "BitShift": ([((2, 1), T.UINT8), ((1, 5), T.UINT8)], {"direction": "LEFT"}),
    "BitwiseAnd": ([((2, 1), T.INT32), ((1, 5), T.INT32)], {}),
    "BitwiseNot": ([((2, 3), T.INT32)], {}),
    "Bernoulli": ([(2, 3)], {}),
    "RandomNormalLike": ([(2, 3)], {}),
    "RandomUniform": ([], {"shape": [2, 7]}),
    "Det": ([(2, 3, 3)], {}),
    "RoiAlign": ([(1, 3, 16, 16), (5, 4), ((5,), T.INT64)], {"output_height": 7, "output_width": 5}),
    "MaxRoiPool": ([(1, 3, 16, 16), (5, 5)], {"pooled_shape": [6, 4]}),
    "DeformConv": ([(1, 3, 8, 8), (4, 3, 3, 3), (1, 18, 6, 6)], {}),
    "Col2Im": ([(1, 12, 9), [4, 4], [2, 2]], {}),
    "CenterCropPad": ([(10, 8, 3), [7, 9]], {"axes": [0, 1]}),
    "MaxUnpool": ([(1, 1, 4, 4), ((1, 1, 4, 4), T.INT64)], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "Multinomial": ([(3, 10)], {"sample_size": 4}),
    "STFT": ([(1, 128, 1), [16], None, [32]], {"onesided": 0}),
    "HannWindow": ([[12]], {}),
    "NegativeLogLikelihoodLoss": ([(3, 5), ((3,), T.INT64)], {"reduction": "none"}),
    "SoftmaxCrossEntropyLoss": ([(3, 5), ((3,), T.INT64)], {}),
    "LSTM": ([(5, 2, 4), (1, 12, 4), (1, 12, 3)], {"hidden_size": 3, "clip": 1.0}),
    "GridSample": ([(1, 2, 4, 4, 4), (1, 3, 5, 6, 3)], {}),
    "Resize": ([(1, 2, 4, 4), None, None, [1, 2, 9, 7]], {"mode": "cubic"}),
    "Transpose": ([((2, 3, 4), T.UINT16)], {"perm": [2, 0, 1]}),
    "Reshape": ([((2, 6), T.INT16), [3, 4]], {}),
    "Gather": ([((5, 6), T.FLOAT8E4M3FN), [1, 3]], {"axis": 1}),
    "Concat": ([((2, 3), T.UINT32), ((2, 4), T.UINT32)], {"axis": 1}),
    "Slice": ([((8, 4), T.UINT64), [1], [7], [0], [2]], {}),
    "Cast": ([(2, 3)], {"to": T.FLOAT8E5M2}),
    "Identity": ([((2, 3), T.FLOAT4E2M1)], {}),
}
MOST_OUTPUTS = {"DynamicQuantizeLinear": 3}


def constant(name, values):
    whole = all(isinstance(value, int) for value in values)
    array = numpy.array(values if len(values) > 1 or whole else values[0], dtype="int64" if whole else "float32")
    scalar = name.endswith("s")  # of one number
    return onnx.numpy_helper.from_array(array.reshape(()) if scalar and array.size == 1 else array, name)


def model_of(operator, inputs, attributes):
    given, constants, names = [], [], []
    lists = operator in ("Reshape", "Slice", "Gather", "Resize", "Col2Im", "CenterCropPad")
    for i, one in enumerate(inputs):
        name = "" if one is None else f"x{i}" if not isinstance(one, list) or lists else f"x{i}s"
        names.append(name)
        if isinstance(one, list):
            constants.append(constant(name, one))
        elif one is not None:
            dims, dtype = one if isinstance(one[0], tuple) else (one, F)
            given.append(helper.make_tensor_value_info(name, dtype, dims))
    node = helper.make_node(operator, names, ["y", *(f"y{i}" for i in range(1, MOST_OUTPUTS.get(operator, 1)))], **attributes)
    graph = helper.make_graph([node], "one", given, [onnx.ValueInfoProto(name="y")], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", LATEST)], ir_version=11)


def inferred(model):
    found = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output[0]
    return [dim.dim_value for dim in found.type.tensor_type.shape.dim]


def shown(program, file):
    done = subprocess.run([program, "show", str(file), "--inference", "--json"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    return json.loads(done.stdout)["networks"][0]["layers"][-1]["output"]


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for operator, (inputs, attributes) in CASES.items():
            model = model_of(operator, inputs, attributes)
            file = pathlib.Path(folder) / f"{operator}.onnx"
            expected = inferred(model)
            file.write_bytes(model.SerializeToString())
            found = shown(sys.argv[1], file)
            if found != expected:
                wrong += 1
                print(f"{operator}: {found} where ONNX infers {expected}")
    print(f"{len(CASES) - wrong} of {len(CASES)} shapes agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
