#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs PyTorch's adapter on a GPU that the processors play: fake_cuda.py ADAPTER CHANNEL. Whatever the adapter calls of
torch.cuda is here and checked as far as CUDA checks it; anything else fails as it does without a GPU."""
import os
import runpy
import sys
import time
from types import SimpleNamespace

sys.path.insert(0, os.environ["PYTHONPATH"])  # the adapters' folder
import torch

# While an event is not waited for, its time is unknown.
STATE = SimpleNamespace(pending=set(), queries=0)


class Event:
    def __init__(self, enable_timing=False):
        assert enable_timing, "an event without enable_timing has no time"
        self.at = None

    def record(self):
        self.at = time.perf_counter()
        STATE.pending.add(self)

    def query(self):
        """Whether it has passed: by turns, as if the GPU woke early every other time."""
        STATE.queries += 1
        return STATE.queries % 2 == 0

    def elapsed_time(self, other):
        for event in (self, other):
            assert event.at is not None and event not in STATE.pending, "CUDA error: device not ready"
        return 1e3 * (other.at - self.at)


def synchronize():
    STATE.pending.clear()


def sleep(cycles):
    assert isinstance(cycles, int) and cycles >= 0
    assert not STATE.pending, "the GPU sleeps before the work that it gets meanwhile"


def init():
    if os.environ.get("STRATA_SCRIPT") == "no_gpu":
        raise RuntimeError("Found no NVIDIA driver on your system.\nPlease check that you have an NVIDIA GPU")


def main():
    torch.version.cuda = None if os.environ.get("STRATA_SCRIPT") == "no_cuda" else "13.0"
    torch.backends.cudnn.version = lambda: 91900
    played = {"Event": Event, "synchronize": synchronize, "_sleep": sleep, "init": init,
              "mem_get_info": lambda: (3 << 30, 4 << 30), "get_device_name": lambda: "Played GPU",
              "get_device_capability": lambda: (9, 0), "empty_cache": lambda: None,
              "reset_peak_memory_stats": lambda: None, "max_memory_reserved": lambda: 5 << 20}
    for name, one in played.items():
        assert hasattr(torch.cuda, name), f"torch.cuda has no {name}"
        setattr(torch.cuda, name, one)
    import pytorch_gpu
    pytorch_gpu.DEVICE = "cpu"
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
