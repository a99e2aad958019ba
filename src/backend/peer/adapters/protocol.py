# SPDX-License-Identifier: MIT
"""What the adapters share: the channel, the network, and its execution task by task (docs/peers.md)."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import tempfile
import time
from types import SimpleNamespace

PROTOCOL = 1
THREADS = int(os.environ.get("STRATA_PEER_THREADS", "1"))
PINNED = os.environ.get("STRATA_PEER_PINNED") == "1"
OPTIONS = json.loads(os.environ.get("STRATA_PEER_OPTIONS", "{}"))  # of the framework itself, by name: words


class Refusal(Exception):
    """A layer, or a whole network, that a framework cannot do; the text is the reason."""


def sentence_of(error):
    """What was thrown, on one line and without where in the framework."""
    lines = [line.strip() for line in str(error).splitlines()]
    words = " ".join(line for line in lines if line and not line.startswith("Exception from"))[:300] or "no reason given"
    return words if isinstance(error, Refusal) else f"{type(error).__name__}: {words}"


class Network(SimpleNamespace):
    """The network of a request `prepare`: its members as attributes, layers and tasks as objects."""

    def __init__(self, request):
        super().__init__(**request["network"])
        self.file, self.places = request["file"], request["values"]
        self.model = request.get("model")
        self.training = self.mode == "training"
        self.needs_gradient = set(self.needs_gradient)
        self.tensors = [SimpleNamespace(id=i, **tensor) for i, tensor in enumerate(self.tensors)]
        self.layers = [SimpleNamespace(id=i, **layer) for i, layer in enumerate(self.layers)]
        for layer in self.layers:
            attributes = {"whole" if name == "global" else name: v for name, v in layer.attributes.items()}
            layer.attributes = SimpleNamespace(**attributes)  # (a keyword is no attribute)
            layer.result_dims = [self.tensors[t].dims for t in layer.outputs]
        self.tasks = [SimpleNamespace(id=i, kind=task.pop("pass"), layer=self.layers[task.pop("layer")],
                                      omitted=task.pop("omitted", None), **task)
                      for i, task in enumerate(self.tasks)]
        self.losses = [layer for layer in self.layers if layer.type == "softmax_cross_entropy"]
        self.starts = [t for layer in self.losses for t in layer.outputs] + self.gradient_given  # of gradients
        self.ends = sorted({*self.outputs, *self.starts})
        self.forget_after = self._last_readers()

    def _last_readers(self):
        """By layer, the activations that no later layer reads and that are no output."""
        last = {}
        for layer in self.layers:
            last.update((t, layer.id) for t in [*layer.inputs, *layer.outputs])
        dying = [[] for _ in self.layers]
        for t, layer in last.items():
            if self.tensors[t].role == "activation" and t not in self.ends:
                dying[layer].append(t)
        return dying

    def data(self):
        """Yields (place, values) of the file: a place names a tensor or a layer, and the content."""
        import numpy
        everything = numpy.memmap(self.file, dtype="<f4", mode="r") if os.path.getsize(self.file) else []
        for place in self.places:
            yield place, everything[place["offset"]:place["offset"] + place["count"]]


class Stepwise:
    """A network run task by task. Adapters of frameworks that differentiate layers derive from it and
    give the verbs `tensor`, `array`, `zeros`, `forward`, `backward`, `update`, `iterate`, `wait`."""

    together = ()  # operators whose gradients of data and of weights are one call
    implementation = ""
    compiler_of_iterations = ""  # of one without instruments; empty: it is not compiled

    def __init__(self, network):
        self.network = network
        self.values, self.gradients, self.saved, self.scales = {}, {}, {}, {}
        self.stand_ins = {"values": {}, "gradients": {}}  # for what refused layers would have computed
        self.states = [{"state": "runs", "implementation": self.implementation} for _ in network.tasks]
        self.operands = [list(task.gradients) for task in network.tasks]
        self.released = [[] for _ in network.tasks]
        self.join_gradients()
        if not network.kept:
            self.plan_release()
        self.begin()

    def begin(self):
        self.load()

    def load(self):
        """Brings everything back to what an iteration begins with."""
        self.gradients.clear()
        self.saved.clear()
        self.gradients.update(self.stand_ins["gradients"])
        self.values.update(self.stand_ins["values"])
        for place, values in self.network.data():
            if place["content"] == "scale":
                layer = self.network.layers[place["layer"]]
                of = self.network.tensors[layer.inputs[0]]
                self.scales[layer.id] = self.tensor(values.reshape(of.dims), of)
            else:
                tensor = self.network.tensors[place["tensor"]]
                store = self.values if place["content"] == "value" else self.gradients
                store[tensor.id] = self.tensor(values.reshape(tensor.dims), tensor)

    def join_gradients(self):
        by_task = {(task.layer.id, task.kind): task for task in self.network.tasks}
        for task in self.network.tasks:
            data = by_task.get((task.layer.id, "backward_data"))
            if task.kind == "backward_weights" and data and task.layer.type in self.together:
                self.operands[data.id] += self.operands[task.id]
                self.states[task.id] = {"state": "included", "in": data.id}

    def plan_release(self):
        """After which task nothing reads a value, a gradient or what a layer saved."""
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
        """Runs every task once: what fails is refused, with the reason. Then forgets the results."""
        refused = {}
        for task in self.network.tasks:
            state = self.states[task.id]
            if state["state"] != "runs" and task.layer.id not in refused:
                continue
            try:
                if task.layer.id in refused or task.omitted:
                    raise Refusal(refused.get(task.layer.id) or task.omitted)
                self.execute(task)
                state["layout"] = self.layout(task)
            except Exception as error:  # whatever a framework throws
                self.states[task.id] = {"state": "refused", "reason": sentence_of(error)}
                if task.kind == "forward":
                    refused[task.layer.id] = sentence_of(error)
                    self.stand_in("values", task.layer.outputs)
                self.stand_in("gradients", [task.layer.inputs[one["operand"]] for one in task.gradients])
        self.wait()
        self.refused = set(refused)
        self.load()
        computed = {t for layer in self.network.layers if layer.id not in refused for t in layer.outputs}
        self.given = [t for t in self.values if t not in computed]
        if self.network.fused:
            return self.compiled_as_a_whole()
        if self.compiler_of_iterations:  # what it compiles at the first call is not part of warming up
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
        """Under the framework's own profiler, whose files are removed."""
        if OPTIONS.get("profiler") != "on":
            yield
            return
        with tempfile.TemporaryDirectory() as folder, self.profiler(folder):
            yield

    def run(self):
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

    def wait(self, task=None):
        """Until what was begun is done; frameworks that compute at once have nothing to wait for."""

    def read(self, tensor, content):
        store = self.values if content == "value" else self.gradients
        return self.array(store[tensor], self.network.tensors[tensor])

    def write(self, tensor, content, values):
        of = self.network.tensors[tensor]
        (self.values if content == "value" else self.gradients)[tensor] = self.tensor(values.reshape(of.dims), of)


class Profiled:
    """A network that a framework takes as an ONNX model and runs as a whole. The times of its steps are
    those of the framework's own profile. A framework gives the verbs `begin`, `infer`, `profile`."""

    def __init__(self, network):
        import numpy
        kinds = {"s64": numpy.int64, "s32": numpy.int32}
        self.network = network
        self.inputs, self.results, self.outputs, self.known = {}, {}, {}, {}
        for place, values in network.data():
            if place["content"] != "value":
                continue
            tensor = network.tensors[place["tensor"]]
            if tensor.id in network.inputs:
                self.inputs[tensor.name] = values.reshape(tensor.dims).astype(kinds.get(tensor.dtype, numpy.float32))
            elif network.kept:
                self.results[tensor.name] = values
        self.owners = sorted(((layer.name, layer.id) for layer in network.layers), key=lambda pair: -len(pair[0]))
        self.begin()

    def owner_of(self, node):
        """The layer that a node of the profile belongs to: the longest name that its own contains as a word."""
        if node not in self.known:
            padded = f" {node} "
            self.known[node] = next((layer for name, layer in self.owners if any(
                not padded[at - 1].isalnum() and not padded[at + len(name)].isalnum()
                for at in range(1, len(padded) - len(name)) if padded.startswith(name, at))), None)
        return self.known[node]

    def by_layer(self):
        """Of one profiled iteration its time, and by layer the time and what did it. Work that is no
        layer's, such as a change of layout, is the next one's."""
        total, nodes = self.profile()
        times, words, waiting = {}, {}, 0.0
        for name, seconds, word in nodes:
            layer = self.owner_of(name)
            waiting += seconds
            if layer is not None:
                times[layer] = times.get(layer, 0.0) + waiting
                words.setdefault(layer, []).append(word)
                waiting = 0.0
        if waiting and times:
            times[max(times)] += waiting
        return total, times, words

    def prepare(self):
        times, words = self.by_layer()[1:]
        if not times:
            raise Refusal("its profile names none of the network's layers")
        tasks = {task.layer.id: task.id for task in self.network.tasks}
        self.runs = set(times)
        done_by = self.doers(self.runs)
        return [
            {"state": "runs", "implementation": "+".join(dict.fromkeys(words[task.layer.id])), "layout": "row-major"}
            if task.layer.id in times else {"state": "included", "in": tasks[done_by[task.layer.id]]}
            for task in self.network.tasks]

    def doers(self, runs):
        """By layer, the one whose node did it along. A product is part of what follows it, since nodes are
        named after their last layer as well; any other layer is part of the last one that it reads from."""
        layers = self.network.layers
        producer = {t: layer.id for layer in layers for t in layer.outputs}
        done_by = {layer: layer for layer in runs}
        for layer in reversed(layers):
            readers = [other.id for other in layers if set(other.inputs) & set(layer.outputs)]
            if layer.id not in done_by and layer.type in ("convolution", "fully_connected", "matmul") and readers:
                at = next((r for r in sorted(readers) if r in runs), None) or self.following(readers, runs)
                done_by[layer.id] = at if at is not None else min(runs)
        for layer in layers:
            before = [producer[t] for t in layer.inputs if t in producer]
            done_by.setdefault(layer.id, done_by[max(before)] if before else min(runs))
        return done_by

    def following(self, readers, runs):
        later = [layer for layer in sorted(runs) if layer > min(readers)]
        return later[0] if later else None

    def run(self):
        begin = time.perf_counter()
        self.infer()
        return time.perf_counter() - begin

    def run_timed(self):
        total, times, _ = self.by_layer()
        if not set(times) <= self.runs:
            raise Refusal("its profile names other layers than before")
        return total, [times.get(task.layer.id, 0.0) for task in self.network.tasks]

    def run_step(self, step):
        if step == 0 or not self.outputs:
            self.outputs = self.infer()

    def read(self, tensor, content):
        name = self.network.tensors[tensor].name
        found = self.outputs.get(name, self.inputs.get(name, self.results.get(name)))
        if found is None:
            raise Refusal(f"{name} is no output of the model")
        return found

    def write(self, tensor, content, values):
        name = self.network.tensors[tensor].name
        if name not in self.inputs:
            raise Refusal(f"{name} is part of the model and not replaced")
        self.inputs[name] = values.reshape(self.inputs[name].shape).astype(self.inputs[name].dtype)
        self.feed()

    def feed(self):
        """After an input has changed; frameworks that read `inputs` at each call have nothing to do."""


def answer_to(request, state):
    import numpy
    verb = request["request"]
    if verb == "prepare":
        state["steps"] = state["class"](Network(request))
        return {"steps": state["steps"].prepare()}
    steps = state["steps"]
    if verb == "run":
        return {"seconds": steps.run()}
    if verb == "run_timed":
        total, times = steps.run_timed()
        return {"seconds": total, "times": times}
    if verb == "run_step":
        steps.run_step(request["step"])
    elif verb == "read":
        numpy.asarray(steps.read(request["tensor"], request["content"]), "<f4").tofile(request["file"])
    elif verb == "write":
        steps.write(request["tensor"], request["content"], numpy.fromfile(request["file"], "<f4"))
    else:
        raise Refusal(f"there is no request {verb}")
    return {}


def serve(load):
    """Answers requests until the channel closes. `load` imports the framework and returns what `hello`
    answers, and the class that prepares a network."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end with the program
    channel = socket.socket(fileno=int(sys.argv[1]))
    state = {}
    for line in channel.makefile("r", encoding="utf-8"):
        request = json.loads(line)
        try:
            if request["request"] == "hello":
                words, state["class"] = load()
                answer = {"protocol": PROTOCOL, **words}
            else:
                answer = answer_to(request, state)
        except ImportError as error:
            answer = {"absent": sentence_of(error)}
        except Exception as error:  # the program decides what it means
            answer = {"error": sentence_of(error)}
        channel.sendall(json.dumps(answer).encode() + b"\n")
