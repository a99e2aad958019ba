# SPDX-License-Identifier: MIT
"""PyTorch on a GPU, which works on what was launched before: steps are timed by its own events."""
import time

import torch
from protocol import Refusal, sentence_of

DEVICE = "cuda"
NARROW = {"bf16": torch.bfloat16, "f16": torch.float16}
APART = ("Steps are the GPU's own times, because the work of a timed iteration is launched before the GPU begins with it, but an "
         "iteration without instruments also contains the times in which the GPU waits for Python. Each layer begins on operands "
         "that are detached from the previous layer, and each backward pass is a call of autograd for its own operands.")
CYCLES_PER_SECOND = 2.5e9  # more than a GPU has, so that it rather sleeps too long than wakes before Python is done


def hello():
    """What the adapter says differently if it computes on a GPU."""
    require_gpu()
    free, memory = torch.cuda.mem_get_info()
    major, minor = torch.cuda.get_device_capability()
    name, cudnn = torch.cuda.get_device_name(), torch.backends.cudnn.version() or 0
    return {"device": {"model": name, "memory": memory, "free_memory": free}, "apart": APART,
            "details": f"{name}, sm_{major}{minor}, CUDA {torch.version.cuda}, "
                       f"cuDNN {cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}",
            "dtypes": ["f32", *NARROW], "single_precisions": ["full", "tf32"], "algorithms": ["auto", "fastest"]}


def require_gpu():
    if torch.version.cuda is None:
        raise Refusal(f"PyTorch {torch.__version__} was built without CUDA: install one with it")
    try:
        torch.cuda.init()
    except Exception as error:  # whatever CUDA lacks
        raise Refusal(f"it finds no GPU ({sentence_of(error)})")


class OnGpu:
    """What differs from a network on the processors: a mixin of the adapter's `Steps`."""

    activities = ["CPU", "CUDA"]

    def begin(self):
        network, self.device = self.network, DEVICE
        is_tf32 = network.single_precision == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
        torch.backends.cudnn.benchmark = network.algorithm == "fastest"
        self.narrow = NARROW.get(network.dtype)
        super().begin()
        if self.narrow and network.training:
            self.forward, self.compute = (torch.autocast(DEVICE, self.narrow)(one) for one in (self.forward, self.compute))

    def element_type(self, of):
        """In a training of a narrow type, autocast narrows the operands of products, and parameters stay f32; in inference
        everything is narrow, as `module.to` makes it."""
        usual = super().element_type(of)
        is_narrow = self.narrow and usual == torch.float32 and (of.role == "activation" or not self.network.training)
        return self.narrow if is_narrow else usual

    def wait(self, task=None):
        torch.cuda.synchronize()

    def prepare(self):
        states = super().prepare()
        self.running = [task for task in self.network.tasks if states[task.id]["state"] == "runs"]
        self.events, self.ahead = [], 0.0
        if not self.network.fused:
            self.launch(self.running)  # the first time takes longer
            self.wait()
            self.ahead = self.launch(self.running)
            self.load()
        self.wait()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        return states

    def launch(self, tasks):
        """Launches the tasks with an event before each and after the last; returns how long that took the host."""
        while len(self.events) <= len(tasks):
            self.events.append(torch.cuda.Event(enable_timing=True))
        self.put_stand_ins()
        begin = time.perf_counter()
        self.events[0].record()
        for task, after in zip(tasks, self.events[1:]):
            self.execute(task)
            after.record()
        return time.perf_counter() - begin

    def times_of(self, tasks, ahead):
        """The GPU's times of the tasks. It sleeps for `ahead` seconds first, in which the host launches them: else a step
        that takes the GPU less than Python would be timed as long as Python takes."""
        torch.cuda._sleep(int(ahead * CYCLES_PER_SECOND))
        self.launch(tasks)
        self.wait()
        return [1e-3 * before.elapsed_time(after) for before, after in zip(self.events, self.events[1:len(tasks) + 1])]

    def run_timed(self):
        if self.network.fused:
            return super().run_timed()
        found = self.times_of(self.running, self.ahead)
        times = [0.0] * len(self.states)
        for task, seconds in zip(self.running, found):
            times[task.id] = seconds
        return sum(found), times

    def time_of(self, task, times):
        tasks = [task] * times
        ahead = self.launch(tasks)
        self.wait()
        return sum(self.times_of(tasks, ahead)) / times

    def memory(self):
        """What PyTorch's allocator took from the GPU at most since the network was prepared."""
        return torch.cuda.max_memory_reserved()
