# SPDX-License-Identifier: MIT
"""The nine classic networks that the onnx package carries, with weights worth computing with.

Their files make every weight by a ConstantOfShape of 0.02, so that all classes come out alike and a
match would prove nothing. Here each of those becomes an initializer drawn at random.
"""

import os

import numpy
import onnx
from onnx import numpy_helper


def light_networks():
    """Paths of the networks, sorted by name."""
    folder = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    files = sorted(f for f in os.listdir(folder) if f.startswith("light_") and f.endswith(".onnx"))
    return [os.path.join(folder, f) for f in files]


def _readers(graph):
    """(node, position) of everything that reads each tensor."""
    readers = {}
    for node in graph.node:
        for position, name in enumerate(node.input):
            readers.setdefault(name, []).append((node, position))
    return readers


def _purpose(name, readers):
    """What a weight is for: by the operator that finally reads it, through reshapes."""
    node, position = readers[name][0]
    if node.op_type == "Unsqueeze":
        return _purpose(node.output[0], readers)
    if node.op_type == "BatchNormalization":
        return ("", "scale", "shift", "mean", "variance")[position]
    return {"Mul": "scale", "Add": "shift"}.get(node.op_type, "weight" if position == 1 else "shift")


def _draw(shape, purpose, random):
    """Values that keep the signal's size from layer to layer."""
    if purpose == "variance":
        return random.uniform(0.5, 1.5, shape)
    if purpose == "scale":
        return random.normal(1.0, 0.1, shape)
    if purpose in ("shift", "mean"):
        return random.normal(0.0, 0.1, shape)
    return random.normal(0.0, numpy.sqrt(2.0 / numpy.prod(shape[1:])), shape)


def with_random_weights(path, seed):
    """The model at `path`, each ConstantOfShape replaced by an initializer of random values."""
    model = onnx.load(path)
    graph = model.graph
    random = numpy.random.default_rng(seed)
    readers = _readers(graph)
    shapes = {tensor.name: tensor for tensor in graph.initializer}
    fills = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    for node in fills:
        shape = numpy_helper.to_array(shapes[node.input[0]])
        values = _draw(shape, _purpose(node.output[0], readers), random).astype(numpy.float32)
        graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
        graph.node.remove(node)
    read = {name for node in graph.node for name in node.input}
    for kept in (graph.initializer, graph.input):
        for unread in [item for item in kept if item.name not in read]:
            kept.remove(unread)
    return model


def inputs_of(model):
    """The inputs that are no initializers."""
    initializers = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in initializers]


def computed_tensors(model):
    """Outputs of the nodes that depend on an input's values: what a runtime computes for each image.

    What depends on shapes alone is known before, and what no output depends on need not be computed.
    """
    live = {value.name for value in inputs_of(model)}
    found = []
    for node in model.graph.node:
        if node.op_type not in ("Shape", "Size") and live.intersection(node.input):
            live.update(name for name in node.output if name)
            found.append(node)
    wanted = {value.name for value in model.graph.output}
    for node in reversed(model.graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
    return [name for node in found for name in node.output if name and name in wanted]
