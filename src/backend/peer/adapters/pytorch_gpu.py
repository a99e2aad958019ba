# SPDX-License-Identifier: MIT
"""PyTorch on a GPU, which works on what was launched before: steps are timed by its own events."""
import time
from dataclasses import dataclass

import torch
from protocol import Refusal, sentence_of

DEVICE = "cuda"
APART = ("Steps are launched in groups while the GPU sleeps, so their times hardly contain waiting for Python, unlike an iteration "
         "without instruments. Each layer begins on operands that are detached from the previous layer, and each backward pass is "
         "a call of autograd for its own operands.")
CYCLES_PER_SECOND = 2.5e9  # more than a GPU has, so that it rather sleeps too long than wakes before Python is done
GROUP = 32  # tasks: few launches may be pending; all of ResNet-50's at once took 43 ms on an H100, an iteration 28


def hello():
    """What the adapter says differently if it computes on a GPU."""
    require_gpu()
    free, memory = torch.cuda.mem_get_info()
    major, minor = torch.cuda.get_device_capability()
    name, cudnn = torch.cuda.get_device_name(), torch.backends.cudnn.version() or 0
    return {"device": {"model": name, "memory": memory, "free_memory": free}, "apart": APART,
            "details": f"{name}, sm_{major}{minor}, CUDA {torch.version.cuda}, "
                       f"cuDNN {cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}",
            "dtypes": ["f32", "bf16", "f16"], "single_precisions": ["full", "tf32"], "algorithms": ["auto", "fastest"]}


def require_gpu():
    if torch.version.cuda is None:
        raise Refusal(f"PyTorch {torch.__version__} was built without CUDA: install one with it")
    try:
        torch.cuda.init()
    except Exception as error:  # whatever CUDA lacks
        raise Refusal(f"it finds no GPU ({sentence_of(error)})")


@dataclass
class Group:
    """Tasks that are launched together, and for how many seconds the GPU sleeps meanwhile."""
    tasks: list
    ahead: float = 0.0


def groups_of(tasks):
    return [Group(tasks[at:at + GROUP]) for at in range(0, len(tasks), GROUP)]


class OnGpu:
    """What differs from a network on the processors: a mixin of the adapter's `Steps`."""

    activities = ["CPU", "CUDA"]

    def begin(self):
        network, self.device = self.network, DEVICE
        is_tf32 = network.single_precision == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
        torch.backends.cudnn.benchmark = network.algorithm == "fastest"
        super().begin()

    def wait(self, task=None):
        torch.cuda.synchronize()

    def prepare(self):
        states = super().prepare()
        self.running = [task for task in self.network.tasks if states[task.id]["state"] == "runs"]
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(GROUP + 1)]
        if not self.network.fused:
            self.groups = groups_of(self.running)
            for _ in range(2):  # the first time takes longer
                self.put_stand_ins()
                for group in self.groups:
                    group.ahead = self.launch(group.tasks)
                    self.wait()
            self.load()
        self.wait()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        return states

    def launch(self, tasks):
        """Launches a group with an event before each task and after the last; returns how long that took the host."""
        begin = time.perf_counter()
        self.events[0].record()
        for task, after in zip(tasks, self.events[1:]):
            self.execute(task)
            after.record()
        return time.perf_counter() - begin

    def times_of(self, group):
        """The GPU's times of the tasks. It sleeps first, while the host launches them: else a step that takes the GPU less
        than Python would be timed as long as Python takes. If it wakes too early, it sleeps longer the next time."""
        torch.cuda._sleep(int(group.ahead * CYCLES_PER_SECOND))
        spent = self.launch(group.tasks)
        woke_early = self.events[0].query()
        self.wait()
        if woke_early:
            group.ahead = 1.5 * max(group.ahead, spent)
        return [1e-3 * before.elapsed_time(after)
                for before, after in zip(self.events, self.events[1:len(group.tasks) + 1])]

    def run_timed(self):
        if self.network.fused:
            return super().run_timed()
        times = [0.0] * len(self.states)
        self.put_stand_ins()
        for group in self.groups:
            for task, seconds in zip(group.tasks, self.times_of(group)):
                times[task.id] = seconds
        return sum(times), times

    def time_of(self, task, times):
        total = 0.0
        for group in groups_of([task] * times):
            group.ahead = self.launch(group.tasks)
            self.wait()
            total += sum(self.times_of(group))
        return total / times

    def memory(self):
        """What PyTorch's allocator took from the GPU at most since the network was prepared."""
        return torch.cuda.max_memory_reserved()
