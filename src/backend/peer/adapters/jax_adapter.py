# SPDX-License-Identifier: MIT
"""JAX: each layer is a jitted function that returns its pull-back, and the gradient of each operand is jitted
separately; the iteration without instruments is one jitted step."""
import os

import protocol
import stepwise


def load():
    global jax, jnp, OPERATORS, at_rest, changed
    # XLA has a thread for each processor that it may use; there is no other way to set the number.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:protocol.THREADS])
    os.environ["JAX_PLATFORMS"] = "cpu"  # else a GPU's times would count as the processors'
    import jax
    import jax.numpy as jnp
    from jax_layers import OPERATORS, at_rest, changed
    return {"name": "jax", "version": jax.__version__, "apart": stepwise.COMPILED, "modes": ["training", "inference"],
            "details": f"XLA on {jax.default_backend()}, {len(os.sched_getaffinity(0))} threads", "layouts": ["nchw"],
            "optimizers": ["momentum", "sgd", "adam"], "options": {"profiler": ["on", "off"]}}, Steps


class Steps(stepwise.Stepwise):
    framework = "JAX"
    together = ("attention", "batch_normalization", "layer_normalization", "recurrent")
    implementation, compiler, compiler_of_iterations = "jit", "jit", "jit"

    def begin(self):
        self.key, self.pending = jax.random.key(self.network.seed), None
        super().begin()
        self.forwards, self.pulls = {}, {}
        self.updating = jax.jit(self.updated, donate_argnums=(0, 1))
        self.whole = jax.jit(self.iteration, donate_argnums=(0, 1))

    def load(self):
        super().load()
        self.momenta = {t: at_rest(self.network.optimizer, self.values[t]) for t in self.trained}

    def tensor(self, array, of):
        return jnp.array(array.astype("int32" if of.dtype in ("s64", "s32") else "float32"), copy=True)

    def array(self, value, of):
        return value

    def zeros(self, of):
        return jnp.zeros(of.dims)

    def apply(self, layer, values, key):
        """The results, then the updated running means and variances."""
        keys = [jax.random.fold_in(key, layer.id)] if layer.type == "dropout" else []
        found = self.called(OPERATORS, layer, *values, *keys)
        self.require_shapes(layer, found[:len(layer.outputs)], layer.result_dims)
        return found

    def differentiated(self, layer):
        return [i for i, t in enumerate(layer.inputs) if t in self.network.needs_gradient]

    def forward_of(self, layer):
        """The jitted function of a layer's values: its results, the updated statistics, and the pull-back."""
        places, count = self.differentiated(layer), len(layer.outputs)

        def forward(values, key):
            def of_operands(*operands):
                full = list(values)
                for i, operand in zip(places, operands):
                    full[i] = operand
                found = self.apply(layer, full, key)
                return found[:count], found[count:]
            if not self.network.training or not places:
                return *of_operands(*(values[i] for i in places)), None
            results, pull, renewed = jax.vjp(of_operands, *(values[i] for i in places), has_aux=True)
            return results, renewed, pull
        return jax.jit(forward)

    def forward(self, layer, values):
        if layer.id not in self.forwards:
            self.forwards[layer.id] = self.forward_of(layer)
        results, renewed, pull = self.forwards[layer.id](values, self.key)
        self.values.update(self.renewed(layer, renewed))
        self.pending = (results, renewed, pull)
        return results, pull

    def renewed(self, layer, values):
        return dict(zip(layer.inputs[-len(values):] if values else [], values))

    def backward(self, layer, saved, gradients, operands):
        fill = jnp.ones if layer in self.network.losses else jnp.zeros
        given = [g if g is not None else fill(dims) for g, dims in zip(gradients, layer.result_dims)]
        places = tuple(self.differentiated(layer).index(i) for i in operands)
        if (layer.id, places) not in self.pulls:
            self.pulls[layer.id, places] = jax.jit(lambda pull, given: [pull(given)[i] for i in places])
        self.pending = self.pulls[layer.id, places](saved, given)
        return self.pending

    def updated(self, values, momenta, gradients):
        o = self.network.optimizer
        found = {t: changed(o, momenta[t], gradients[t]) for t in gradients}
        values = {t: values[t] - o["learning_rate"] * direction for t, (_, direction) in found.items()}
        return values, {t: momentum for t, (momentum, _) in found.items()}

    def update(self, task):
        values, momenta, gradients = ({t: store[t] for t in task.parameters}
                                      for store in (self.values, self.momenta, self.gradients))
        self.take(*self.updating(values, momenta, gradients))

    def take(self, values, momenta):
        self.values.update(values)
        self.momenta.update(momenta)
        self.pending = (values, momenta)

    def wait(self, task=None):
        sums = [self.gradients.get(t) for t in task.layer.inputs] if task else None
        jax.block_until_ready((self.pending, sums))
        self.pending = None

    def forward_all(self, live, key):
        renewed = {}
        for layer in self.network.layers:
            if layer.id not in self.refused:
                found = self.apply(layer, [live[t] for t in layer.inputs], key)
                live.update(zip(layer.outputs, found))
                renewed.update(self.renewed(layer, found[len(layer.outputs):]))
        return {t: live[t] for t in self.network.ends if t in live}, renewed

    def iteration(self, trained, momenta, given, gradients, key):
        if not self.network.training:
            return self.forward_all({**given, **trained}, key)[0], trained, momenta, {}

        def loss(trained):
            ends, renewed = self.forward_all({**given, **trained}, key)
            return [ends[t] for t in self.network.starts if t in ends], (ends, renewed)
        starts, pull, (ends, renewed) = jax.vjp(loss, trained, has_aux=True)
        weights = [gradients[t] if t in gradients else jnp.ones_like(y)
                   for t, y in zip((t for t in self.network.starts if t in ends), starts)]
        return ends, *self.updated(trained, momenta, pull(weights)[0]), renewed

    def profiler(self, folder):
        return jax.profiler.trace(folder)

    def iterate(self):
        trained = {t: self.values[t] for t in self.trained}
        given = {t: self.values[t] for t in self.given if t not in trained}
        gradients = {t: self.gradients[t] for t in self.network.gradient_given}
        ends, values, momenta, renewed = self.whole(trained, self.momenta, given, gradients, self.key)
        self.take(values, momenta)
        self.values.update(renewed)
        self.pending = (ends, values, momenta, renewed)


if __name__ == "__main__":
    protocol.serve(load)
