# SPDX-License-Identifier: MIT
"""Compiled by the TensorFlow adapter: the graph of a layer, and the optimizers."""
import tensorflow as tf


class Layer:
    """A layer's graph. Gradients are built for each operand, so that each can be pruned to what it needs; the forward
    pass saves the tensors that they use."""

    def __init__(self, apply, values, operands, count):
        """count: the number of results with gradients; after them come the updated statistics."""
        def build():
            self.given = [tf.compat.v1.placeholder(v.dtype, v.shape) for v in values]
            self.results = apply(self.given)
            graph = self.results[0].graph
            before = set(graph.get_operations())
            self.gradients = [tf.compat.v1.placeholder(y.dtype, y.shape) for y in self.results[:count]]
            self.found = {i: tf.convert_to_tensor(tf.gradients(self.results[:count], self.given[i], self.gradients)[0])
                          for i in operands}  # those of an embedding would be rows
            of_gradients = [op for op in graph.get_operations() if op not in before]
            known = {id(t) for t in graph.internal_captures}
            used = {id(t): t for op in of_gradients for t in op.inputs
                    if t.op in before and t.op.type != "Const" and id(t) not in known}
            self.saved = list(used.values())
            return self.results
        self.whole = tf.compat.v1.wrap_function(build, [])
        self.forward = self.pruned(self.given, [*self.results, *self.saved])
        self.pulls = {}

    def pruned(self, given, wanted):
        """Called without argument checks, which take several times as long as the call (23 of 157 µs of processor time
        in TensorFlow 2.21) and which a graph of all layers pays once; older versions do not support this."""
        function = self.whole.prune(given, wanted)
        direct = getattr(getattr(function, "_inference_function", None), "call_flat", None)
        if direct is None:
            return tf.function(lambda *values: function(*values), autograph=False)  # cheaper than its own call
        captured = function.captured_inputs
        return lambda *values: direct(*values, *captured)

    def backward(self, operands):
        """The function of the saved tensors and the results' gradients."""
        key = tuple(operands)
        if key not in self.pulls:
            self.pulls[key] = self.pruned([*self.saved, *self.gradients], [self.found[i] for i in operands])
        return self.pulls[key]


class Optimizer:
    """Like Keras's, with the operators that it calls."""

    def __init__(self, told, parameters):
        """parameters: variables by number."""
        self.told, self.parameters, self.count = told, parameters, tf.Variable(0.0)
        self.kept = {t: [tf.Variable(tf.zeros_like(v)) for _ in range(2 if told["name"] == "adam" else 1)]
                     for t, v in parameters.items()}

    def begin_again(self):
        self.count.assign(0.0)
        for variable in (one for kept in self.kept.values() for one in kept):
            variable.assign(tf.zeros_like(variable))

    def apply(self, gradients, begins):
        """begins: whether these are the first of an iteration."""
        o, rate = self.told, self.told["learning_rate"]
        if o["name"] == "adam":
            count = self.count.assign_add(1.0) if begins else self.count.value()
            powers = [tf.pow(o[name], count) for name in ("beta1", "beta2")]
            epsilon = o["epsilon"] * tf.sqrt(1 - powers[1])  # the operator adds it before it corrects the deviation
        for t, gradient in gradients.items():
            variable, kept = self.parameters[int(t)].handle, [one.handle for one in self.kept[int(t)]]
            if o["name"] == "adam":
                tf.raw_ops.ResourceApplyAdam(
                    var=variable, m=kept[0], v=kept[1], beta1_power=powers[0], beta2_power=powers[1], lr=rate,
                    beta1=o["beta1"], beta2=o["beta2"], epsilon=epsilon, grad=gradient)
            elif o["name"] == "sgd":
                tf.raw_ops.ResourceApplyGradientDescent(var=variable, alpha=rate, delta=gradient)
            else:
                tf.raw_ops.ResourceApplyKerasMomentum(var=variable, accum=kept[0], lr=rate, grad=gradient,
                                                      momentum=o["momentum"])
