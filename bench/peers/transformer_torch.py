# SPDX-License-Identifier: MIT
"""The zoo's transformer-base in PyTorch: tied embeddings, 128 tokens of source and of target."""
import math

import torch
from torch import nn

WIDTH, INNER, HEADS, LAYERS, LENGTH, VOCABULARY, DROPOUT = 512, 2048, 8, 6, 128, 37000, 0.1


class Close(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(DROPOUT)

    def forward(self, x, result):
        return self.norm(x + self.drop(result))


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.close = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), Close()

    def forward(self, x, keys, mask=None):
        return self.close(x, self.attention(x, keys, keys, need_weights=False, attn_mask=mask,
                                            is_causal=mask is not None)[0])


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.narrow, self.close = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH), Close()

    def forward(self, x):
        return self.close(x, self.narrow(torch.relu(self.wide(x))))


class TransformerBase(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.drop = nn.Embedding(VOCABULARY, WIDTH), nn.Dropout(DROPOUT)
        # As in the zoo: with torch's default deviation of 1, the loss's gradient is full of
        # denormal numbers.
        nn.init.normal_(self.table.weight, std=WIDTH ** -0.5)
        place = torch.arange(LENGTH).unsqueeze(1)
        step = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(1e4) / WIDTH))
        self.register_buffer("positions", torch.stack([torch.sin(place * step), torch.cos(place * step)],
                                                      2).reshape(LENGTH, WIDTH))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(LENGTH))
        self.encoder = nn.ModuleList(nn.ModuleList([Attend(), FeedForward()]) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(nn.ModuleList([Attend(), Attend(), FeedForward()]) for _ in range(LAYERS))

    def example(self, batch):
        return torch.randint(VOCABULARY, (2, batch, LENGTH)), torch.randint(VOCABULARY, (batch * LENGTH,))

    def embed(self, tokens):
        return self.drop(self.table(tokens) * math.sqrt(WIDTH) + self.positions)

    def forward(self, tokens):
        source, target = self.embed(tokens[0]), self.embed(tokens[1])
        for attend, feed_forward in self.encoder:
            source = feed_forward(attend(source, source))
        for own, cross, feed_forward in self.decoder:
            target = feed_forward(cross(own(target, target, self.mask), source))
        return nn.functional.linear(target.reshape(-1, WIDTH), self.table.weight)
