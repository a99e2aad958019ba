#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training steps of the classic networks, of an LSTM language model and of a Transformer in PyTorch,
for compare.py (see protocol.h).

    step_torch.py NETWORK BATCH THREADS [eager|channels_last|compile]
"""
import sys
import time

import torch

from transformer_torch import TransformerBase

NAMES = {"alexnet-owt": "alexnet", "vgg-16": "vgg16", "googlenet": "googlenet", "resnet-50": "resnet50"}


class LanguageModel(torch.nn.Module):
    """lstm-ptb of strata's zoo: time-major words, one score a position and word."""

    def __init__(self, words=10000, width=1024):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)
        self.drop = torch.nn.Dropout(0.5)
        self.lstm = torch.nn.LSTM(width, width, num_layers=2, dropout=0.5)
        self.projection = torch.nn.Linear(width, words)

    def forward(self, words):
        y, _ = self.lstm(self.drop(self.embedding(words)))
        return self.projection(self.drop(y)).flatten(0, 1)


def model_of(network, batch):
    """The model, what it reads and the labels."""
    if network == "lstm-ptb":
        length = 32
        return LanguageModel(), torch.randint(10000, (length, batch)), torch.randint(10000, (length * batch,))
    if network == "transformer-base":
        model = TransformerBase()
        return model, *model.example(batch)
    import torchvision
    options = {"init_weights": False, "aux_logits": False} if network == "googlenet" else {}
    model = getattr(torchvision.models, NAMES[network])(weights=None, **options)
    return model, torch.randn(batch, 3, 224, 224), torch.randint(1000, (batch,))


def main():
    network, batch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    form = sys.argv[4] if len(sys.argv) > 4 else "eager"
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model, images, labels = model_of(network, batch)
    model.train()
    if form == "channels_last" and images.dim() != 4:
        sys.exit("channels_last is a layout of images")
    if form != "eager" and images.dim() == 4:
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
