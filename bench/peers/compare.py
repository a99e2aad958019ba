#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training-step time of strata's engine and of the available peers, measured in turn in one run.

All programs stay loaded and warm; in each round each of them takes its steps while the others sleep, in a new
random order, so that a slow moment of the machine affects all equally. Reports the medians, and the ratio to
strata's as the median over the rounds with its 95 % interval (order statistics).

    compare.py --programs build/release/bench/peers --torch-python PYTHON alexnet-owt:32 vgg-16:8
    compare.py --programs bin --torch-python python3 --backend cuda --type bf16 resnet-50:64
"""
import argparse
import csv
import os
import random
import statistics
import subprocess
import sys


class Peer:
    """One warm program that takes steps when asked."""

    def __init__(self, name, command, extra=None):
        environment = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_CORETYPE="SkylakeX", **(extra or {}))
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)
        self.times = []

    def ready(self):
        return self.process.stdout.readline().strip() == "ready"

    def steps(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return [float(t) for t in self.process.stdout.readline().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def start_peers(network, batch, options):
    common = [network, batch, str(options.threads)]
    program = lambda name: os.path.join(options.programs, name)
    on_gpu = options.backend == "cuda"
    place = ["cuda" if on_gpu else "cpu", options.type]
    commands = [(f"strata {algorithm}", [program("step_strata"), *common, algorithm, options.backend, options.type])
                for algorithm in options.algorithms.split(",")]
    if os.path.exists(program("step_libtorch")) and not on_gpu and options.type == "f32":
        commands += [(f"libtorch {form}", [program("step_libtorch"), *common, form])
                     for form in ("contiguous", "channels_last")]
    if options.torch_python:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "step_torch.py")
        commands += [(f"torch {form}", [options.torch_python, script, *common, form, *place])
                     for form in options.torch_forms.split(",")]
    peers = []
    for name, command in commands:
        peer = Peer(name, command)
        if peer.ready():
            peers.append(peer)
        else:
            print(f"skipped: {name} did not start", file=sys.stderr)
    return peers


def interval(values):
    """95 % interval of the median by order statistics; the whole range for fewer than six values."""
    ordered = sorted(values)
    n = len(ordered)
    k = max(0, int(n / 2 - 0.98 * n ** 0.5)) if n >= 6 else 0
    return ordered[k], ordered[n - 1 - k]


def measure(peers, rounds, steps, keep):
    """Calls keep(peer, round, time) as each time comes, so that an interrupted run keeps what it has."""
    for peer in peers:
        peer.steps(3)
    for index in range(rounds):
        for peer in random.sample(peers, len(peers)):
            peer.times.append(statistics.median(peer.steps(steps)))
            keep(peer, index, peer.times[-1])


def report(network, batch, peers):
    ours = peers[0].times
    print(f"\n{network}, batch {batch}, {len(ours)} rounds")
    for peer in peers:
        ratios = [mine / theirs for mine, theirs in zip(ours, peer.times)]
        low, high = interval(ratios)
        print(f"  {peer.name:24s} {1e3 * statistics.median(peer.times):9.1f} ms   "
              f"{peers[0].name} / it = {statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="+", help="NETWORK:BATCH")
    parser.add_argument("--programs", required=True, help="folder of step_strata and step_libtorch")
    parser.add_argument("--torch-python", help="a Python that has torch and torchvision")
    parser.add_argument("--torch-forms", default="eager,channels_last")
    parser.add_argument("--backend", default="onednn", help="of strata: onednn, or cuda with torch on the GPU, too")
    parser.add_argument("--type", default="f32", help="f32, tf32, bf16, f16")
    parser.add_argument("--algorithms", default="direct", help="of strata's convolutions: direct,winograd")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=2, help="steps of each program in a round")
    parser.add_argument("--csv", default=os.devnull, help="raw times, one row a program and round")
    options = parser.parse_args()
    with open(options.csv, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["network", "batch", "program", "round", "seconds"])
        for problem in options.problems:
            network, batch = problem.split(":")
            peers = start_peers(network, batch, options)

            def keep(peer, index, time):
                writer.writerow([network, batch, peer.name, index, f"{time:.6f}"])
                file.flush()

            measure(peers, options.rounds, options.steps, keep)
            report(network, batch, peers)
            for peer in peers:
                peer.close()


main()
