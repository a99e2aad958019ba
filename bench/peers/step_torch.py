#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Training steps of the classic networks, of an LSTM language model and of a Transformer in PyTorch,
for compare.py (see protocol.h).

    step_torch.py NETWORK BATCH THREADS [eager|channels_last|compile|compile_graphs] [cpu|cuda] [f32|tf32|bf16|f16]

compile_graphs records CUDA graphs. Narrow types use automatic mixed precision, as is usual in PyTorch.
"""
import contextlib
import sys
import time

import torch

from transformer_torch import TransformerBase

NAMES = {"alexnet-owt": "alexnet", "vgg-16": "vgg16", "googlenet": "googlenet", "resnet-50": "resnet50"}


class LanguageModel(torch.nn.Module):
    """lstm-ptb of strata's zoo: time-major words, one score per position and word."""

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
    """The model, its inputs and the labels."""
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


NARROW = {"bf16": torch.bfloat16, "f16": torch.float16}
COMPILED = {"compile": "default", "compile_graphs": "reduce-overhead"}


def use_device(device, dtype):
    """Settings that a careful user of PyTorch would choose on a GPU."""
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        torch.backends.cudnn.benchmark = True


def main():
    network, batch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    given = sys.argv[4:]
    form, device, dtype = given + ["eager", "cpu", "f32"][len(given):]
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    use_device(device, dtype)
    model, images, labels = model_of(network, batch)
    model, images, labels = model.to(device), images.to(device), labels.to(device)
    model.train()
    if form == "channels_last" and images.dim() != 4:
        sys.exit("channels_last is a layout of images")
    if form != "eager" and images.dim() == 4:
        model = model.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 1e-4, momentum=0.9)
    run = torch.compile(model, mode=COMPILED[form]) if form in COMPILED else model
    scaler = torch.amp.GradScaler(device, enabled=dtype == "f16")

    def precision():
        return torch.autocast(device, NARROW[dtype]) if dtype in NARROW else contextlib.nullcontext()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with precision():
            loss = torch.nn.functional.cross_entropy(run(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if device == "cuda":
            torch.cuda.synchronize()

    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            step()
            times.append(time.perf_counter() - begin)
        print(" ".join(f"{t:.9f}" for t in times), flush=True)


main()
