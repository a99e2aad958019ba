# SPDX-License-Identifier: MIT
"""TensorFlow: each layer a graph, of which its forward pass and the gradient of each operand are pruned; the
iteration without instruments one tf.function, by XLA with --fuse. Images are NHWC, as TensorFlow has them."""
import os

import protocol


def load():
    global tf, OPERATORS, IMAGES, ANY_ORDER, Layer, images_among
    if protocol.OPTIONS.get("onednn") == "off":
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import tensorflow as tf
    tf.get_logger().setLevel("ERROR")
    from tensorflow_layers import ANY_ORDER, IMAGES, OPERATORS, Layer, images_among
    tf.config.threading.set_intra_op_parallelism_threads(protocol.THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(int(protocol.OPTIONS.get("inter-op", protocol.THREADS)))
    return {"name": "tensorflow", "version": tf.__version__, "details": f"{protocol.THREADS} threads",
            "modes": ["training", "inference"], "layouts": ["nhwc"], "optimizers": ["momentum", "sgd"],
            "options": {"inter-op": [], "onednn": ["on", "off"], "profiler": ["on", "off"]}}, Steps


class Steps(protocol.Stepwise):
    together = ("attention", "batch_normalization", "layer_normalization", "recurrent")
    implementation, compiler, compiler_of_iterations = "tf.function", "XLA", "tf.function"

    def begin(self):
        self.images, self.kernels = images_among(self.network), set()
        for layer in self.network.layers:
            layer.attributes.training = self.network.training
            if layer.type == "convolution":
                self.kernels.add(layer.inputs[1])
        self.load()
        for layer in self.network.layers:
            layer.attributes.scales = self.scales.get(layer.id)
        self.built = {}
        self.whole = tf.function(self.iteration, autograph=False, jit_compile=self.network.fused)
        self.updating = tf.function(self.apply_gradients, autograph=False)

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
        """The results, then what is renewed: running means and variances."""
        if layer.type not in OPERATORS:
            raise protocol.Refusal(f"the adapter of TensorFlow has no {layer.kind}")
        a = layer.attributes
        if layer.type not in IMAGES + ANY_ORDER:
            values = [tf.transpose(x, [0, x.shape.rank - 1, *range(1, x.shape.rank - 1)]) if t in self.images else x
                      for t, x in zip(layer.inputs, values)]
        elif layer.type == "concat" and layer.outputs[0] in self.images:
            a = protocol.SimpleNamespace(axis=[0, values[0].shape.rank - 1, *range(1, 4)][a.axis])
        found = OPERATORS[layer.type](a, layer.result_dims, *values)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        for n, t in enumerate(layer.outputs):
            if t in self.images and layer.type not in IMAGES + ANY_ORDER:
                found[n] = tf.transpose(found[n], [0, *range(2, found[n].shape.rank), 1])
            if list(found[n].shape) != list(self.shape_of(self.network.tensors[t])):
                raise protocol.Refusal(f"TensorFlow gives results of another shape than {layer.result_dims}")
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
        for t, variable in kept.items():  # the compiled functions know these
            variable.assign(self.values[t])
            self.values[t] = variable
        if not kept:
            self.momenta = {t: tf.Variable(tf.zeros_like(v)) for task in self.network.tasks if task.kind == "update"
                            for t in task.parameters for v in [self.values[t]]}
        for variable in self.momenta.values():
            variable.assign(tf.zeros_like(variable))

    def write(self, tensor, content, values):
        before = self.values.get(tensor)
        super().write(tensor, content, values)
        if content == "value" and isinstance(before, tf.Variable):
            self.values[tensor] = before.assign(self.values[tensor])

    def apply_gradients(self, gradients):
        o = self.network.optimizer
        for t, gradient in gradients.items():
            t, rate = int(t), o["learning_rate"]
            if o["name"] == "sgd":
                tf.raw_ops.ResourceApplyGradientDescent(var=self.values[t].handle, alpha=rate, delta=gradient)
            else:
                tf.raw_ops.ResourceApplyKerasMomentum(var=self.values[t].handle, accum=self.momenta[t].handle, lr=rate,
                                                      grad=gradient, momentum=o["momentum"])

    def update(self, task):
        self.updating({str(t): self.gradients[t] for t in task.parameters})

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
        trained = {t: v for t, v in self.values.items() if isinstance(v, tf.Variable) and t in self.momenta}
        starts = [t for t in self.network.starts if t in ends]
        found = tape.gradient([ends[t] for t in starts], trained, [
            self.gradients[t] if t in self.gradients else tf.ones_like(ends[t]) for t in starts])
        self.apply_gradients({t: tf.convert_to_tensor(g) for t, g in found.items() if g is not None})
        return ends

    def profiler(self, folder):
        return tf.profiler.experimental.Profile(folder)

    def iterate(self):
        given = {t: self.values[t] for t in self.given if not isinstance(self.values[t], tf.Variable)}
        for value in self.whole(given).values():
            value.numpy()


if __name__ == "__main__":
    protocol.serve(load)
