# SPDX-License-Identifier: MIT
"""Shared by all adapters: the channel, and the network that it transmits (docs/peers.md)."""
import ctypes
import json
import os
import signal
import socket
import sys
from types import SimpleNamespace

PROTOCOL = 1
THREADS = int(os.environ.get("STRATA_PEER_THREADS", "1"))
PINNED = os.environ.get("STRATA_PEER_PINNED") == "1"
OPTIONS = json.loads(os.environ.get("STRATA_PEER_OPTIONS", "{}"))  # of the framework itself, by name: words


class Refusal(Exception):
    """A framework cannot run a layer, or the whole network; the text is the reason."""


def sentence_of(error):
    """An exception's text in one line, without its place in the framework."""
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
            layer.attributes = SimpleNamespace(**attributes)  # a keyword cannot be an attribute
            layer.result_dims = [self.tensors[t].dims for t in layer.outputs]
        self.tasks = [SimpleNamespace(id=i, kind=task.pop("pass"), layer=self.layers[task.pop("layer")],
                                      omitted=task.pop("omitted", None), **task)
                      for i, task in enumerate(self.tasks)]
        self.losses = [layer for layer in self.layers if layer.type == "softmax_cross_entropy"]
        self.starts = [t for layer in self.losses for t in layer.outputs] + self.gradient_given  # of gradients
        self.ends = sorted({*self.outputs, *self.starts})
        self.forget_after = self._last_readers()

    def _last_readers(self):
        """By layer, the activations that no later layer reads and that are not outputs."""
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
    if verb == "run_empty_step":
        seconds = steps.empty_step()
        return {} if seconds is None else {"seconds": seconds}
    if verb == "memory":
        return {"bytes": steps.memory()}
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
    """Answers requests until the channel closes. `load` imports the framework and returns the answer to `hello`, and
    the class that prepares a network."""
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
