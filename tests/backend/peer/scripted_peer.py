# SPDX-License-Identifier: MIT
"""A peer without a framework: answers every request, or misbehaves as $STRATA_SCRIPT says."""
import json
import os
import signal
import socket
import sys
import time

SCRIPT = os.environ.get("STRATA_SCRIPT", "")


def pieces(request, values):
    """The values at the start of an iteration, as bytes of f32, by content and tensor."""
    for place in request["values"]:
        begin = 4 * place["offset"]
        yield (place["content"], place.get("tensor")), values[begin:begin + 4 * place["count"]]


def misbehave(verb):
    """Does what the script says for this request (`VERB:DEED`). Returns an invalid answer, or None."""
    if not SCRIPT.startswith(verb + ":"):
        return None
    deed = SCRIPT.split(":")[1]
    if deed == "crash":
        print("the last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if deed == "exit":
        print("one line\nthe last words\n", file=sys.stderr, flush=True)
        os._exit(7)
    if deed == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
    if deed == "flood":
        while True:
            print("x" * 4096)
    if deed == "eat":
        eaten = []
        while True:
            eaten.append(bytearray(1 << 24))
    if deed == "orphan":  # ends, but leaves a child that holds the channel
        if os.fork() > 0:
            os._exit(0)
        time.sleep(3600)
    return {"garbage": b"}{\n", "bytes": b"\x00\xff\xfe\n", "list": b"[1]\n", "deep": b"[" * 200000 + b"\n",
            "nested": b'{"protocol": ' + b"[" * 300000 + b"]" * 300000 + b"}\n",
            "empty": b"{}\n", "absent": b'{"absent": "no such module"}\n', "old": b'{"protocol": 0}\n',
            "error": b'{"error": "out of \\u001b[2J luck"}\n', "step": b'{"error": "no luck", "step": 1}\n',
            "nan": b'{"seconds": NaN}\n', "negative": b'{"seconds": -1}\n', "text": b'{"seconds": "1"}\n',
            "huge": b'{"seconds": 1e999}\n', "few": b'{"seconds": 1, "times": [1]}\n', "few_steps": b'{"steps": []}\n',
            }.get(deed)


def answer(request, state):
    verb = request["request"]
    if verb == "hello":
        words = {"protocol": 1, "version": "1.2", "details": "no framework", "apart": "Nothing.", "modes": ["training", "inference"],
                 "layouts": ["nchw"], "optimizers": ["momentum"], "options": {"inter-op": [], "jit": ["off", "on"]}}
        if SCRIPT.startswith("device"):
            words["options"]["device"] = ["cpu", "cuda"]
        if SCRIPT.startswith("device") and json.loads(os.environ["STRATA_PEER_OPTIONS"]).get("device") == "cuda":
            words.update(dtypes=["f32", "bf16"], single_precisions=["full", "tf32"], algorithms=["auto", "fastest"])
            words["device"] = {"device": {"model": "Scripted GPU", "memory": 4e9, "free_memory": 3000000000},
                               "device:nameless": {"memory": 4e9}, "device:negative": {"model": "GPU", "memory": -1},
                               "device:text": {"model": "GPU", "memory": "4e9"}, "device:list": [1]}[SCRIPT]
        return words
    if verb == "prepare":
        with open(request["file"], "rb") as file:
            state["values"] = dict(pieces(request, file.read()))
        steps = [{"state": "runs", "implementation": task["pass"], "algorithm": os.environ["STRATA_PEER_OPTIONS"]}
                 for task in request["network"]["tasks"]]
        if SCRIPT == "included":
            steps[1] = {"state": "included", "in": 0}
            steps[2] = {"state": "refused", "reason": "no such layer"}
        if SCRIPT == "included_in_nothing":
            steps[1] = {"state": "included", "in": len(steps)}
        state["steps"] = len(steps)
        return {"steps": steps}
    if verb == "run":
        return {"seconds": 0.5}
    if verb == "run_timed":
        return {"seconds": 0.25 * state["steps"], "times": [0.25] * state["steps"]}
    if verb == "memory":
        return {"bytes": 5000}
    if verb == "run_empty_step":
        return {"seconds": 0.125}
    if verb == "read":
        with open(request["file"], "wb") as file:
            file.write(state["values"][request["content"], request["tensor"]][4 if SCRIPT == "short" else 0:])
    if verb == "write":
        with open(request["file"], "rb") as file:
            state["values"][request["content"], request["tensor"]] = file.read()
    return {}


channel = socket.socket(fileno=int(sys.argv[1]))
state = {}
print("frameworks print what they like")
for line in channel.makefile("rb"):
    request = json.loads(line)
    reply = misbehave(request["request"])
    channel.sendall(reply or json.dumps(answer(request, state)).encode() + b"\n")
