#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the convolution of net.graph three times; ONEDNN_VERBOSE=1 onednn_by_torch.py logs PyTorch's oneDNN."""
import torch

torch.set_num_threads(2)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)).eval()
x = torch.randn(4, 3, 16, 16)
with torch.no_grad():
    for _ in range(3):
        net(x)
