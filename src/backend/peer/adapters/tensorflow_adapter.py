# SPDX-License-Identifier: MIT
"""TensorFlow: each layer is a graph, pruned to its forward pass and to the gradient of each operand; the iteration
without instruments is one tf.function, compiled by XLA with --fuse. Images are NHWC, as usual in TensorFlow."""
import os

import protocol
import stepwise


def load():
    global tf, OPERATORS, IMAGES, ANY_ORDER, Layer, Optimizer, images_among
    if protocol.OPTIONS.get("onednn") == "off":
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import tensorflow as tf
    tf.get_logger().setLevel("ERROR")
    tf.config.set_visible_devices([], "GPU")  # whose times would count as the processors'
    from tensorflow_graphs import Layer, Optimizer
    from tensorflow_layers import ANY_ORDER, IMAGES, OPERATORS, images_among
    tf.config.threading.set_intra_op_parallelism_threads(protocol.THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(int(protocol.OPTIONS.get("inter-op", protocol.THREADS)))
    return {"name": "tensorflow", "version": tf.__version__, "details": f"{protocol.THREADS} threads", "apart": stepwise.COMPILED,
            "modes": ["training", "inference"], "layouts": ["nhwc"], "optimizers": ["momentum", "sgd", "adam"],
            "options": {"inter-op": [], "onednn": ["on", "off"], "profiler": ["on", "off"]}}, Steps


class Steps(stepwise.Stepwise):
    framework = "TensorFlow"
    together = ("attention", "batch_normalization", "layer_normalization", "recurrent")
    implementation, compiler, compiler_of_iterations = "tf.function", "XLA", "tf.function"

    def begin(self):
        tf.random.set_seed(self.network.seed)
        self.images = images_among(self.network)
        self.kernels = {layer.inputs[1] for layer in self.network.layers if layer.type.endswith("convolution")}
        super().begin()
        self.built = {}
        self.whole = tf.function(self.iteration, autograph=False, jit_compile=self.network.fused)
        self.updating = tf.function(lambda gradients, begins: self.optimizer.apply(gradients, begins), autograph=False)
        self.first_update = next((task.id for task in self.network.tasks if task.kind == "update"), None)

    def tensor(self, array, of):
        value = array.astype({"s64": "int64", "s32": "int32"}.get(of.dtype, "float32"))
        if of.id in self.images:
            value = value.transpose(0, *range(2, value.ndim), 1)
        if of.id in self.kernels:
            value = value.transpose(*range(2, value.ndim), 1, 0)
        if of.role in ("input", "activation"):
            return tf.constant(value)
        return tf.Variable(value, trainable=of.id in self.network.needs_gradient)

    def array(self, value, of):
        value = value.numpy()
        if of.id in self.images:
            value = value.transpose(0, value.ndim - 1, *range(1, value.ndim - 1))
        if of.id in self.kernels:
            value = value.transpose(value.ndim - 1, value.ndim - 2, *range(value.ndim - 2))
        return value

    def zeros(self, of):
        return tf.constant(0.0, shape=self.shape_of(of))

    def shape_of(self, of):
        return [of.dims[0], *of.dims[2:], of.dims[1]] if of.id in self.images else of.dims

    def apply(self, layer, values):
        """The results, then the updated running means and variances."""
        a = layer.attributes
        if layer.type not in IMAGES + ANY_ORDER:
            values = [tf.transpose(x, [0, x.shape.rank - 1, *range(1, x.shape.rank - 1)]) if t in self.images else x
                      for t, x in zip(layer.inputs, values)]
        elif layer.type == "concat" and layer.outputs[0] in self.images:
            a = protocol.SimpleNamespace(axis=[0, values[0].shape.rank - 1, *range(1, 4)][a.axis])
        found = self.called(OPERATORS, layer, *values, attributes=a)
        for n, t in enumerate(layer.outputs):
            if t in self.images and layer.type not in IMAGES + ANY_ORDER:
                found[n] = tf.transpose(found[n], [0, *range(2, found[n].shape.rank), 1])
        self.require_shapes(layer, found[:len(layer.outputs)], [self.shape_of(self.network.tensors[t]) for t in layer.outputs])
        return found

    def forward(self, layer, values):
        values = [v.value() if isinstance(v, tf.Variable) else v for v in values]
        if layer.id not in self.built:
            wanted = sorted({one["operand"] for task in self.network.tasks
                             if task.layer is layer and task.kind.startswith("backward") for one in task.gradients})
            self.built[layer.id] = Layer(lambda given: self.apply(layer, given), values, wanted, len(layer.outputs))
        results = self.built[layer.id].forward(*values)
        count = len(self.built[layer.id].results)
        self.renew(layer, results[len(layer.outputs):count])
        return results[:len(layer.outputs)], results[count:]

    def renew(self, layer, values):
        for t, value in zip(layer.inputs[-len(values):] if values else [], values):
            self.values[t].assign(value)

    def backward(self, layer, saved, gradients, operands):
        given = [g if g is not None else tf.ones(self.shape_of(self.network.tensors[t])) if layer in self.network.losses
                 else tf.zeros(self.shape_of(self.network.tensors[t])) for g, t in zip(gradients, layer.outputs)]
        return self.built[layer.id].backward(operands)(*saved, *given)

    def load(self):
        kept = {t: v for t, v in self.values.items() if isinstance(v, tf.Variable)}
        super().load()
        for t, variable in kept.items():  # the compiled functions use these
            variable.assign(self.values[t])
            self.values[t] = variable
        if not kept:
            self.optimizer = Optimizer(self.network.optimizer, {t: self.values[t] for t in self.trained})
        self.optimizer.begin_again()

    def write(self, tensor, content, values):
        before = self.values.get(tensor)
        super().write(tensor, content, values)
        if content == "value" and isinstance(before, tf.Variable):
            self.values[tensor] = before.assign(self.values[tensor])

    def update(self, task):
        self.updating({str(t): self.gradients[t] for t in task.parameters}, task.id == self.first_update)

    def iteration(self, given):
        live = {**self.values, **given}
        with tf.GradientTape() as tape:
            tape.watch([live[t] for t in self.given if t in self.network.needs_gradient])
            for layer in self.network.layers:
                if layer.id not in self.refused:
                    values = [v.value() if isinstance(v, tf.Variable) else v for v in (live[t] for t in layer.inputs)]
                    found = self.apply(layer, values)
                    live.update(zip(layer.outputs, found))
                    self.renew(layer, found[len(layer.outputs):])
        ends = {t: live[t] for t in self.network.ends if t in live}
        if not self.network.training:
            return ends
        trained = {t: self.values[t] for t in self.trained}
        starts = [t for t in self.network.starts if t in ends]
        found = tape.gradient([ends[t] for t in starts], trained, [
            self.gradients[t] if t in self.gradients else tf.ones_like(ends[t]) for t in starts])
        self.optimizer.apply({t: tf.convert_to_tensor(g) for t, g in found.items() if g is not None}, True)
        return ends

    def profiler(self, folder):
        return tf.profiler.experimental.Profile(folder)

    def iterate(self):
        given = {t: self.values[t] for t in self.given if not isinstance(self.values[t], tf.Variable)}
        for value in self.whole(given).values():
            value.numpy()


if __name__ == "__main__":
    protocol.serve(load)
