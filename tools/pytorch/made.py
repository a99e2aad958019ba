# SPDX-License-Identifier: MIT
"""Networks made of PyTorch's own layers: recurrent language models, a U-Net, an encoder."""

import torch
from torch import nn

from pytorch.wrap import tokens


class LanguageModel(nn.Module):
    """Embedding, LSTM layers and a projection to the vocabulary (Zaremba 2014, medium, short)."""

    def __init__(self, vocabulary=2000, hidden=128, kind=nn.LSTM, **options):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.recurrent = kind(hidden, hidden, **options)
        width = hidden * (2 if options.get("bidirectional") else 1)
        self.projection = nn.Linear(width, vocabulary)

    def forward(self, words):
        states, _ = self.recurrent(self.embedding(words))
        return self.projection(states)


class Double(nn.Sequential):
    """Two 3x3 convolutions of a U-Net."""

    def __init__(self, before, after):
        super().__init__(nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(),
                         nn.Conv2d(after, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU())


class UNet(nn.Module):
    """Ronneberger 2015 with padding; `up` makes the layer that doubles the extents."""

    def __init__(self, up, width=16, depth=4):
        super().__init__()
        widths = [width << level for level in range(depth + 1)]
        self.first = Double(3, width)
        self.down = nn.ModuleList(Double(a, b) for a, b in zip(widths, widths[1:]))
        self.up = nn.ModuleList(up(b, a) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(Double(2 * a, a) for a in widths[:-1])
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, image):
        levels = [self.first(image)]
        for down in self.down:
            levels.append(down(nn.functional.max_pool2d(levels[-1], 2)))
        result = levels.pop()
        for up, join in zip(reversed(self.up), reversed(self.join)):
            result = join(torch.cat([levels.pop(), up(result)], 1))
        return self.last(result)


class Warp(nn.Module):
    """A spatial transformer (Jaderberg 2015): a small network says where to look."""

    def __init__(self):
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(3, 8, 7, stride=4), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                                  nn.Flatten(), nn.Linear(8, 6))
        self.classify = nn.Sequential(nn.Conv2d(3, 8, 5), nn.MaxPool2d(2), nn.ReLU())

    def forward(self, image):
        grid = nn.functional.affine_grid(self.look(image).view(-1, 2, 3), [1, 3, 32, 32],
                                         align_corners=False)
        return self.classify(nn.functional.grid_sample(image, grid, align_corners=False))


def upsampled(before, after):
    return nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(before, after, 1))


def transposed(before, after):
    return nn.ConvTranspose2d(before, after, 2, stride=2)


def recurrent(kind, **options):
    return LanguageModel(kind=kind, **options), (tokens(),)


def transformer_encoder():
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    return nn.TransformerEncoder(layer, 2), (torch.randn(1, 32, 128),)


def transformer():
    model = nn.Transformer(64, 4, 2, 2, 128, batch_first=True)
    return model, (torch.randn(1, 20, 64), torch.randn(1, 12, 64))


def unet(up):
    return UNet(up), (torch.randn(1, 3, 128, 128),)


NETWORKS = {
    "unet_upsampled": lambda: unet(upsampled),
    "unet_transposed": lambda: unet(transposed),
    "spatial_transformer": lambda: (Warp(), (torch.randn(1, 3, 64, 64),)),
    "lstm": lambda: recurrent(nn.LSTM, num_layers=2, batch_first=True),
    "lstm_bidirectional": lambda: recurrent(nn.LSTM, num_layers=2, bidirectional=True),
    "gru": lambda: recurrent(nn.GRU, num_layers=2),
    "rnn": lambda: recurrent(nn.RNN),
    "transformer_encoder": transformer_encoder,
    "transformer": transformer,
}
