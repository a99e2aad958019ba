# SPDX-License-Identifier: MIT
"""Modules around models, so that an exporter sees tensors as inputs and outputs."""

import torch
from torch import nn


class Output(nn.Module):
    """A model whose result is one tensor or a tuple of tensors, not a dictionary."""

    def __init__(self, model, pick):
        super().__init__()
        self.model = model
        self.pick = pick

    def forward(self, *inputs):
        return self.pick(self.model(*inputs))


class Masked(nn.Module):
    """A decoder with its mask given, which spares the exporters a search for packed sequences."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(tokens, attention_mask=torch.ones_like(tokens))[0]


class Named(nn.Module):
    """A model of the transformers package: its inputs by name, its result's tensors as a tuple."""

    def __init__(self, model, names, results):
        super().__init__()
        self.model = model
        self.names = names
        self.results = results

    def forward(self, *inputs):
        found = self.model(**dict(zip(self.names, inputs)), return_dict=True)
        return tuple(found[name] for name in self.results)


def tokens(length=32, vocabulary=2000):
    return torch.randint(0, vocabulary, (1, length))
