#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training steps of the classic networks in PyTorch, for compare.py (see protocol.h).

    step_torch.py NETWORK BATCH THREADS [eager|channels_last|compile]
"""
import sys
import time

import torch
import torchvision

NAMES = {"alexnet-owt": "alexnet", "vgg-16": "vgg16", "googlenet": "googlenet", "resnet-50": "resnet50"}


def main():
    network, batch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    form = sys.argv[4] if len(sys.argv) > 4 else "eager"
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    options = {"init_weights": False, "aux_logits": False} if network == "googlenet" else {}
    model = getattr(torchvision.models, NAMES[network])(weights=None, **options).train()
    images, labels = torch.randn(batch, 3, 224, 224), torch.randint(1000, (batch,))
    if form != "eager":
        model = model.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 1e-4, momentum=0.9)
    run = torch.compile(model) if form == "compile" else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(run(images), labels).backward()
        optimizer.step()

    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            step()
            times.append(time.perf_counter() - begin)
        print(" ".join(f"{t:.9f}" for t in times), flush=True)


main()
