#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records three training steps of net.graph by PyTorch's profiler: torch_training.py FILE.json.gz"""
import gzip
import os
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.relu1 = torch.nn.ReLU()
        self.pool1 = torch.nn.MaxPool2d(2)
        self.fc = torch.nn.Linear(512, 10)

    def forward(self, x):
        return self.fc(self.pool1(self.relu1(self.conv1(x))).flatten(1))


def name_ranges(net):
    """The recipe of docs/import.md: a range around each module, named by its path."""
    for path, module in net.named_modules():
        if path and not list(module.children()):
            module.register_forward_pre_hook(lambda m, _, path=path: setattr(m, "range", torch.profiler.record_function(path).__enter__()))
            module.register_forward_hook(lambda m, *_: m.range.__exit__(None, None, None))


def main(file, ranges):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    net = Net()
    if ranges:
        name_ranges(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        for _ in range(3):
            step()
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "trace.json")
        recorded.export_chrome_trace(plain)
        text = open(plain, encoding="utf-8").read().replace(plain, "trace.json")
    open(file, "wb").write(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] == ["ranges"])
