# SPDX-License-Identifier: MIT
"""A network that a framework runs and profiles as a whole."""
import time

from protocol import Refusal


class Profiled:
    """A network that a framework runs as a whole from an ONNX model. The times of its steps come from the
    framework's own profile. A framework implements `begin`, `infer` and `profile`."""

    def __init__(self, network):
        import numpy
        kinds = {"s64": numpy.int64, "s32": numpy.int32, "s8": numpy.int8, "u8": numpy.uint8, "boolean": numpy.bool_}
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
        """The layer of a profile's node: the longest layer name that the node's name contains as a word."""
        if node not in self.known:
            padded = f" {node} "
            self.known[node] = next((layer for name, layer in self.owners if any(
                not padded[at - 1].isalnum() and not padded[at + len(name)].isalnum()
                for at in range(1, len(padded) - len(name)) if padded.startswith(name, at))), None)
        return self.known[node]

    def by_layer(self):
        """The time of one profiled iteration, and by layer the time and the kernels. Work that belongs to no layer,
        such as a change of layout, counts towards the next layer."""
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
        """For each layer without a node, the layer whose node includes it. A product is part of its follower,
        because nodes are also named after their last layer; any other layer is part of the last one that it reads
        from."""
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
            raise Refusal("its profile names different layers than before")
        return total, [times.get(task.layer.id, 0.0) for task in self.network.tasks]

    def empty_step(self):
        """There is none, because the times come from a profile."""

    def run_step(self, step):
        if step == 0 or not self.outputs:
            self.outputs = self.infer()

    def read(self, tensor, content):
        name = self.network.tensors[tensor].name
        found = self.outputs.get(name, self.inputs.get(name, self.results.get(name)))
        if found is None:
            raise Refusal(f"{name} is not an output of the model")
        return found

    def write(self, tensor, content, values):
        name = self.network.tensors[tensor].name
        if name not in self.inputs:
            raise Refusal(f"{name} is part of the model and not replaced")
        self.inputs[name] = values.reshape(self.inputs[name].shape).astype(self.inputs[name].dtype)
        self.feed()

    def feed(self):
        """Called after an input has changed; frameworks that read `inputs` at each call have nothing to do."""
