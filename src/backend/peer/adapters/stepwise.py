# SPDX-License-Identifier: MIT
"""A network run task by task, for frameworks that differentiate layer by layer."""
import contextlib
import tempfile
import time
from types import SimpleNamespace

from protocol import OPTIONS, Refusal, sentence_of


# How timed steps differ from an iteration without instruments, for `hello`.
EAGER = ("Each layer begins on operands that are detached from the previous layer, each backward pass is a call of autograd for "
         "its own operands, and memory is allocated and released in another order.")
COMPILED = ("Each layer and pass is compiled by itself and waited for: nothing is fused, kept in another layout or run side by "
            "side across layers, their results are stored and go through Python, and gradients are added separately.")


class Stepwise:
    """A network run task by task. Adapters of frameworks that differentiate layers derive from it and implement
    `tensor`, `array`, `zeros`, `forward`, `backward`, `update`, `iterate`, `wait`."""

    framework = ""  # in sentences
    together = ()  # operators whose gradients of data and of weights are one call
    implementation = ""
    compiler_of_iterations = ""  # of an iteration without instruments; empty: it is not compiled

    def __init__(self, network):
        self.network = network
        self.values, self.gradients, self.saved, self.scales = {}, {}, {}, {}
        self.stand_ins = {"values": {}, "gradients": {}}  # for the results of refused layers
        self.states = [{"state": "runs", "implementation": self.implementation} for _ in network.tasks]
        self.operands = [list(task.gradients) for task in network.tasks]
        self.released = [[] for _ in network.tasks]
        self.trained = [t for task in network.tasks if task.kind == "update" for t in task.parameters]
        self.join_gradients()
        if not network.kept:
            self.plan_release()
        self.begin()

    def begin(self):
        """Called before the first task; adapters add what they compile."""
        for layer in self.network.layers:
            layer.attributes.training, layer.attributes.verified = self.network.training, self.network.kept
        self.load()
        for layer in self.network.layers:
            layer.attributes.scales = self.scales.get(layer.id)

    def called(self, operators, layer, *operands, attributes=None):
        """The results of a layer's operator, as a list."""
        if layer.type not in operators:
            raise Refusal(f"the adapter of {self.framework} has no {layer.kind}")
        found = operators[layer.type](attributes or layer.attributes, layer.result_dims, *operands)
        return list(found) if isinstance(found, (tuple, list)) else [found]

    def require_shapes(self, layer, results, wanted):
        if [list(y.shape) for y in results] != [list(dims) for dims in wanted]:
            raise Refusal(f"{self.framework}'s results do not have the shape {layer.result_dims}")

    def load(self):
        """Restores everything to the state at the beginning of an iteration."""
        self.gradients.clear()
        self.saved.clear()
        self.put_stand_ins()
        for place, values in self.network.data():
            if place["content"] == "scale":
                layer = self.network.layers[place["layer"]]
                of = self.network.tensors[layer.inputs[0]]
                self.scales[layer.id] = self.tensor(values.reshape(of.dims), of)
            else:
                tensor = self.network.tensors[place["tensor"]]
                store = self.values if place["content"] == "value" else self.gradients
                store[tensor.id] = self.tensor(values.reshape(tensor.dims), tensor)

    def put_stand_ins(self):
        """Before each iteration, because it releases what it has read."""
        self.gradients.update(self.stand_ins["gradients"])
        self.values.update(self.stand_ins["values"])

    def join_gradients(self):
        by_task = {(task.layer.id, task.kind): task for task in self.network.tasks}
        for task in self.network.tasks:
            data = by_task.get((task.layer.id, "backward_data"))
            if task.kind == "backward_weights" and data and task.layer.type in self.together:
                self.operands[data.id] += self.operands[task.id]
                self.states[task.id] = {"state": "included", "in": data.id}

    def plan_release(self):
        """The task after which nothing reads a value, a gradient or a layer's saved tensors."""
        last = {}
        for task in self.network.tasks:
            layer = task.layer
            if task.kind == "forward":
                last.update((("values", t), task.id) for t in [*layer.inputs, *layer.outputs])
                last["saved", layer.id] = task.id
            elif task.kind == "update":
                last.update((("gradients", t), task.id) for t in task.parameters)
            else:
                last["saved", layer.id] = task.id
                last.update((("gradients", t), task.id) for t in layer.outputs)
        kept = {*self.network.outputs, *self.network.gradient_given}
        for (store, key), task in last.items():
            is_kept = store != "saved" and (key in kept or (
                store == "values" and self.network.tensors[key].role != "activation"))
            if not is_kept:
                self.released[task].append((getattr(self, store), key))

    def prepare(self):
        """Runs every task once: a failing one is refused, with the reason. Then discards the results."""
        refused = {}
        for task in self.network.tasks:
            state = self.states[task.id]
            if state["state"] != "runs" and task.layer.id not in refused:
                continue
            try:
                if task.layer.id in refused or task.omitted:
                    raise Refusal(refused.get(task.layer.id) or task.omitted)
                self.execute(task)
                self.wait(task)
                state["layout"] = self.layout(task)
            except Exception as error:  # whatever a framework throws
                self.states[task.id] = {"state": "refused", "reason": sentence_of(error)}
                if task.kind == "forward":
                    refused[task.layer.id] = sentence_of(error)
                    self.stand_in("values", task.layer.outputs)
                self.stand_in("gradients", [task.layer.inputs[one["operand"]] for one in self.operands[task.id]])
        self.wait()
        self.refused = set(refused)
        self.load()
        computed = {t for layer in self.network.layers if layer.id not in refused for t in layer.outputs}
        self.given = [t for t in self.values if t not in computed]
        if self.network.fused:
            return self.compiled_as_a_whole()
        if self.compiler_of_iterations:  # compilation at the first call is not part of warming up
            self.run()
            self.load()
        return self.states

    def stand_in(self, store, tensors):
        for t in tensors:
            zeros = self.stand_ins[store].setdefault(t, self.zeros(self.network.tensors[t]))
            getattr(self, store).setdefault(t, zeros)

    def compiled_as_a_whole(self):
        """One step does everything: that of the first layer that can run."""
        first = next(i for i, state in enumerate(self.states) if state["state"] == "runs")
        self.states = [state if state["state"] == "refused" else {"state": "included", "in": first}
                       for state in self.states]
        self.states[first] = {"state": "runs", "implementation": self.compiler}
        self.run()
        self.load()
        return self.states

    def layout(self, task):
        return "row-major"

    def execute(self, task):
        layer = task.layer
        if task.kind == "forward":
            outputs, self.saved[layer.id] = self.forward(layer, [self.values[t] for t in layer.inputs])
            self.values.update(zip(layer.outputs, outputs))
        elif task.kind == "update":
            self.update(task)
        else:
            operands = self.operands[task.id]
            given = [self.gradients.get(t) for t in layer.outputs]
            found = self.backward(layer, self.saved[layer.id], given, [one["operand"] for one in operands])
            for one, gradient in zip(operands, found):
                t = layer.inputs[one["operand"]]
                later = not one["first"] and t in self.gradients
                self.gradients[t] = self.gradients[t] + gradient if later else gradient
        for store, key in self.released[task.id]:
            store.pop(key, None)

    @contextlib.contextmanager
    def profiled(self):
        """Runs under the framework's own profiler, whose files are removed."""
        if OPTIONS.get("profiler") != "on":
            yield
            return
        with tempfile.TemporaryDirectory() as folder, self.profiler(folder):
            yield

    def run(self):
        self.put_stand_ins()
        with self.profiled():
            begin = time.perf_counter()
            self.iterate()
            self.wait()
            return time.perf_counter() - begin

    def run_timed(self):
        times = [0.0] * len(self.states)
        if self.network.fused:
            total = self.run()
            return total, [total if state["state"] == "runs" else 0.0 for state in self.states]
        self.put_stand_ins()
        begin = before = time.perf_counter()
        for task, state in zip(self.network.tasks, self.states):
            if state["state"] == "runs":
                self.execute(task)
                self.wait(task)
                now = time.perf_counter()
                times[task.id], before = now - before, now
        return time.perf_counter() - begin, times

    def run_step(self, step):
        self.execute(self.network.tasks[step])
        self.wait()

    def empty_step(self, times=300):
        """The time of a step that only copies one number: the cost of calling the framework for a step."""
        network, n = self.network, len(self.network.tensors)
        network.tensors += [SimpleNamespace(id=n + i, dims=[1], dtype="f32", role="activation") for i in range(2)]
        network.needs_gradient.add(n)
        layer = SimpleNamespace(id=len(network.layers), type="identity", kind="identity", inputs=[n], outputs=[n + 1],
                                attributes=SimpleNamespace(), result_dims=[[1]])
        task = SimpleNamespace(id=len(self.released), kind="forward", layer=layer)
        self.released.append([])
        self.values[n] = self.zeros(network.tensors[n])
        for _ in range(10):  # the first compiles
            self.execute(task)
            self.wait(task)
        return self.time_of(task, times)

    def time_of(self, task, times):
        """The time of a task that is executed that often."""
        begin = time.perf_counter()
        for _ in range(times):
            self.execute(task)
            self.wait(task)
        return (time.perf_counter() - begin) / times

    def wait(self, task=None):
        """Waits until pending work is done; frameworks that compute synchronously have nothing to wait for."""

    def read(self, tensor, content):
        store = self.values if content == "value" else self.gradients
        return self.array(store[tensor], self.network.tensors[tensor])

    def write(self, tensor, content, values):
        of = self.network.tensors[tensor]
        (self.values if content == "value" else self.gradients)[tensor] = self.tensor(values.reshape(of.dims), of)
