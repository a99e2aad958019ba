# SPDX-License-Identifier: MIT
"""Networks as exporters write them, made here with random weights so that no exporter is needed.

Each builder gives a model (opset 17 to 22) of one kind of network: the nodes that PyTorch's
exporters write for it, decomposed as they decompose it.
"""

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A model in the making: every method adds nodes and gives the name of the result."""

    def __init__(self, name, opset, seed=1):
        self.name, self.opset = name, opset
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.random = numpy.random.default_rng(seed)

    def fresh(self, prefix):
        return f"{prefix}_{len(self.nodes) + len(self.weights)}"

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def constant(self, values):
        name = self.fresh("weight")
        self.weights.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def integers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def number(self, value):
        return self.constant(numpy.array(value, numpy.float32))

    def weight(self, *shape, scale=None):
        fan_in = numpy.prod(shape[1:]) if len(shape) > 1 else shape[0]
        scale = scale or numpy.sqrt(1.0 / fan_in)
        return self.constant(self.random.normal(0, scale, shape).astype(numpy.float32))

    def ones(self, *shape):
        return self.constant(self.random.normal(1, 0.1, shape).astype(numpy.float32))

    def node(self, kind, *inputs, results=1, **attributes):
        names = [self.fresh(kind.lower()) for _ in range(results)]
        if results > 1:
            names = [f"{names[0]}.{i}" for i in range(results)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0] + "_node",
                                           **attributes))
        return names[0] if results == 1 else names

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                 ir_version=8)

    # Layers in the form that exporters write.

    def linear(self, x, before, after):
        product = self.node("MatMul", x, self.weight(before, after))
        return self.node("Add", product, self.weight(after))

    def convolution(self, x, before, after, kernel=3, groups=1, **attributes):
        return self.node("Conv", x, self.weight(after, before // groups, kernel, kernel),
                         self.weight(after), kernel_shape=[kernel, kernel], group=groups,
                         **attributes)

    def layer_norm(self, x, width):
        """Decomposed, as opset 16 and older had to."""
        mean = self.node("ReduceMean", x, axes=[-1]) if self.opset < 18 else \
            self.node("ReduceMean", x, self.integers(-1))
        rest = self.node("Sub", x, mean)
        squares = self.node("Pow", rest, self.number(2.0))
        variance = self.node("ReduceMean", squares, axes=[-1]) if self.opset < 18 else \
            self.node("ReduceMean", squares, self.integers(-1))
        root = self.node("Sqrt", self.node("Add", variance, self.number(1e-5)))
        scaled = self.node("Mul", self.node("Div", rest, root), self.ones(width))
        return self.node("Add", scaled, self.weight(width))

    def gelu(self, x):
        scaled = self.node("Div", x, self.number(numpy.sqrt(2.0)))
        added = self.node("Add", self.node("Erf", scaled), self.number(1.0))
        return self.node("Mul", self.node("Mul", x, added), self.number(0.5))

    def heads(self, x, length, heads, size):
        split = self.node("Reshape", x, self.integers(0, length, heads, size))
        return self.node("Transpose", split, perm=[0, 2, 1, 3])

    def attention(self, x, length, width, heads, mask=None):
        size = width // heads
        q, k, v = (self.heads(self.linear(x, width, width), length, heads, size)
                   for _ in range(3))
        scores = self.node("MatMul", q, self.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.node("Div", scores, self.number(numpy.sqrt(float(size))))
        if mask:
            scores = self.node("Where", mask, scores, self.number(-1e9))
        shares = self.node("Softmax", scores, axis=-1)
        joined = self.node("Transpose", self.node("MatMul", shares, v), perm=[0, 2, 1, 3])
        flat = self.node("Reshape", joined, self.integers(0, length, width))
        return self.linear(flat, width, width)


def transformer(opset=17):
    """Embedding, positions, a causal mask out of shapes, two blocks and a head."""
    graph = Graph("transformer", opset)
    length, width, words = 12, 32, 50
    tokens = graph.input("tokens", [2, length], TensorProto.INT64)
    shape = graph.node("Shape", tokens)
    extent = graph.node("Gather", shape, graph.constant(numpy.array(1, numpy.int64)), axis=0)
    positions = graph.node("Range", graph.constant(numpy.array(0, numpy.int64)), extent,
                           graph.constant(numpy.array(1, numpy.int64)))
    mask = graph.node("LessOrEqual", graph.node("Unsqueeze", positions, graph.integers(0)),
                      graph.node("Unsqueeze", positions, graph.integers(1)))
    x = graph.node("Add", graph.node("Gather", graph.weight(words, width, scale=1.0), tokens),
                   graph.node("Gather", graph.weight(64, width, scale=1.0), positions))
    for _ in range(2):
        x = graph.node("Add", x, graph.attention(graph.layer_norm(x, width), length, width, 4,
                                                 mask))
        hidden = graph.gelu(graph.linear(graph.layer_norm(x, width), width, 2 * width))
        x = graph.node("Add", x, graph.linear(hidden, 2 * width, width))
    x = graph.node("LayerNormalization", x, graph.ones(width), graph.weight(width), axis=-1)
    graph.output(graph.linear(x, width, words))
    return graph.model()


def recurrent(opset=22):
    """A language model: LSTM in both directions, GRU and RNN over the same embedding."""
    graph = Graph("recurrent", opset)
    length, width, hidden = 7, 12, 10
    tokens = graph.input("tokens", [length, 3], TensorProto.INT64)
    x = graph.node("Gather", graph.weight(40, width, scale=1.0), tokens)
    zero = graph.node("ConstantOfShape", graph.integers(2, 3, hidden))
    y, last, cell = graph.node("LSTM", x, graph.weight(2, 4 * hidden, width),
                               graph.weight(2, 4 * hidden, hidden), graph.weight(2, 8 * hidden),
                               "", zero, zero, results=3, direction="bidirectional",
                               hidden_size=hidden)
    x = graph.node("Reshape", graph.node("Transpose", y, perm=[0, 2, 1, 3]),
                   graph.integers(0, 0, -1))
    y, _ = graph.node("GRU", x, graph.weight(1, 3 * hidden, 2 * hidden),
                      graph.weight(1, 3 * hidden, hidden), graph.weight(1, 6 * hidden),
                      results=2, hidden_size=hidden, linear_before_reset=1)
    x = graph.node("Squeeze", y, graph.integers(1))
    y, _ = graph.node("RNN", x, graph.weight(1, hidden, hidden), graph.weight(1, hidden, hidden),
                      graph.weight(1, 2 * hidden), results=2, hidden_size=hidden,
                      direction="reverse")
    graph.output(graph.linear(graph.node("Squeeze", y, graph.integers(1)), hidden, 40))
    graph.output(graph.node("Concat", last, cell, axis=0))
    return graph.model()


def mobile(opset=20):
    """Depthwise convolutions, squeeze and excitation, shuffled channels, hard activations."""
    graph = Graph("mobile", opset)
    x = graph.input("image", [2, 3, 32, 32])
    x = graph.node("HardSwish", graph.convolution(x, 3, 16, strides=[2, 2], pads=[1] * 4))
    for _ in range(2):
        y = graph.node("Relu", graph.convolution(x, 16, 16, groups=16, pads=[1] * 4))
        pooled = graph.node("GlobalAveragePool", y)
        pooled = graph.node("Relu", graph.convolution(pooled, 16, 8, kernel=1))
        gate = graph.node("HardSigmoid", graph.convolution(pooled, 8, 16, kernel=1),
                          alpha=1.0 / 6)
        x = graph.node("Add", x, graph.node("Mul", gate, y))
    left, right = graph.node("Split", x, graph.integers(8, 8), results=2, axis=1)
    right = graph.node("Clip", graph.convolution(right, 8, 8, kernel=1), graph.number(0.0),
                       graph.number(6.0))
    x = graph.node("Concat", left, right, axis=1)
    x = graph.node("Reshape", x, graph.integers(0, 2, 8, 16, 16))
    x = graph.node("Reshape", graph.node("Transpose", x, perm=[0, 2, 1, 3, 4]),
                   graph.integers(0, 16, 16, 16))
    x = graph.node("Mul", x, graph.node("Sigmoid", x))
    x = graph.node("ReduceMean", x, graph.integers(2, 3), keepdims=0)
    graph.output(graph.node("Gemm", x, graph.weight(10, 16), graph.weight(10), transB=1))
    return graph.model()


def windows(opset=18):
    """Shifted windows as in Swin: rolls by slices, partition, a bias gathered from a table."""
    graph = Graph("windows", opset)
    side, window, width, heads = 8, 4, 16, 2
    x = graph.input("image", [1, 3, 2 * side, 2 * side])
    x = graph.convolution(x, 3, width, kernel=2, strides=[2, 2])
    x = graph.node("Transpose", x, perm=[0, 2, 3, 1])
    for axis in (1, 2):
        tail = graph.node("Slice", x, graph.integers(2), graph.integers(2**63 - 1),
                          graph.integers(axis))
        head = graph.node("Slice", x, graph.integers(0), graph.integers(2), graph.integers(axis))
        x = graph.node("Concat", tail, head, axis=axis)
    count = side // window
    x = graph.node("Reshape", x, graph.integers(1, count, window, count, window, width))
    x = graph.node("Reshape", graph.node("Transpose", x, perm=[0, 1, 3, 2, 4, 5]),
                   graph.integers(count * count, window * window, width))
    area = window * window
    q, k, v = (graph.heads(graph.linear(x, width, width), area, heads, width // heads)
               for _ in range(3))
    size = graph.node("ReduceL2", q, graph.integers(-1))
    q = graph.node("Div", q, graph.node("Max", size, graph.number(1e-6)))
    scores = graph.node("MatMul", q, graph.node("Transpose", k, perm=[0, 1, 3, 2]))
    index = graph.random.integers(0, 49, area * area)
    table = graph.node("Gather", graph.weight(49, heads), graph.constant(index))
    bias = graph.node("Reshape", table, graph.integers(area, area, heads))
    scores = graph.node("Add", scores, graph.node("Transpose", bias, perm=[2, 0, 1]))
    shares = graph.node("Softmax", scores, axis=-1)
    y = graph.node("Einsum", shares, v, equation="bhij,bhjd->bihd")
    y = graph.node("Reshape", y, graph.integers(count * count, area, width))
    y = graph.node("Pad", y, graph.integers(0, 0, 0, 0, 1, 0), graph.number(0.5))
    values, _ = graph.node("TopK", graph.node("ReduceMax", y, graph.integers(2), keepdims=0),
                           graph.integers(3), results=2, axis=1)
    graph.output(y)
    graph.output(values)
    return graph.model()


def upsampling(opset=19):
    """A U-Net's way up and down: transposed convolutions, resizes of all kinds, normalisations."""
    graph = Graph("upsampling", opset)
    x = graph.input("image", [1, 3, 16, 16])
    x = graph.convolution(x, 3, 8, pads=[1] * 4)
    x = graph.node("InstanceNormalization", x, graph.ones(8), graph.weight(8))
    skip = graph.node("LeakyRelu", x, alpha=0.1)
    x = graph.node("AveragePool", skip, kernel_shape=[2, 2], strides=[2, 2])
    x = graph.node("Elu", graph.convolution(x, 8, 8, pads=[2] * 4, dilations=[2, 2]))
    up = graph.node("ConvTranspose", x, graph.weight(8, 8, 2, 2), graph.weight(8), strides=[2, 2])
    x = graph.node("Concat", skip, up, axis=1)
    x = graph.convolution(x, 16, 4, kernel=1)
    sizes = graph.integers(1, 4, 23, 23)
    parts = [graph.node("Resize", x, "", "", sizes, mode="linear",
                        coordinate_transformation_mode="half_pixel"),
             graph.node("Resize", x, "", "", sizes, mode="linear",
                        coordinate_transformation_mode="align_corners"),
             graph.node("Resize", x, "", "", sizes, mode="cubic",
                        coordinate_transformation_mode="half_pixel"),
             graph.node("Resize", x, "", "", sizes, mode="nearest", nearest_mode="floor",
                        coordinate_transformation_mode="asymmetric")]
    x = graph.node("Concat", *parts, axis=1)
    x = graph.node("PRelu", x, graph.weight(16, 1, 1))
    graph.output(graph.node("LogSoftmax", x, axis=1))
    return graph.model()


NETWORKS = {"transformer": transformer, "recurrent": recurrent, "mobile": mobile,
            "windows": windows, "upsampling": upsampling}
