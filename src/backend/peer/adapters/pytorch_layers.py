# SPDX-License-Identifier: MIT
"""strata's operators in terms of PyTorch's functions. a: a layer's attributes; dims: of its results."""
import math

import numpy
import torch
import torch.nn.functional as F
from protocol import Refusal


def padded(x, a, value):
    """The input, and the padding that is left to the layer, which only supports symmetric padding."""
    if a.pad_begin == a.pad_end:
        return x, a.pad_begin
    pads = [p for pair in zip(reversed(a.pad_begin), reversed(a.pad_end)) for p in pair]
    return F.pad(x, pads, value=value), [0] * len(a.kernel)


def convolution(a, dims, x, weight, bias=None):
    x, pad = padded(x, a, 0.0)
    return getattr(F, f"conv{len(a.kernel)}d")(x, weight, bias, a.stride, pad, a.dilation, a.groups)


def transposed_convolution(a, dims, x, weight, bias=None):
    n, is_even = len(a.kernel), a.pad_begin == a.pad_end
    y = getattr(F, f"conv_transpose{n}d")(x, weight, bias, a.stride, a.pad_begin if is_even else 0, a.output_pad or 0,
                                          a.groups, a.dilation)
    for axis in range(n if not is_even else 0):
        y = y.narrow(2 + axis, a.pad_begin[axis], dims[0][2 + axis])
    return y


def pad(a, dims, x):
    pads = [p for pair in zip(reversed(a.begin), reversed(a.end)) for p in pair]
    if a.kind == "constant":
        return F.pad(x, pads, value=a.value)
    if any(pads[-4:]):
        raise Refusal("PyTorch pads by reflection or edges only the axes after the first two")
    return F.pad(x, pads[:-4], mode={"reflect": "reflect", "edge": "replicate"}[a.kind])


def resize(a, dims, x):
    extents, corners = x.shape[2:], a.coordinates == "align_corners"
    centred = a.coordinates == "half_pixel" or a.coordinates == "pytorch_half_pixel" and min(a.sizes) > 1
    if a.interpolation == "nearest":
        never_between = all(size % extent == 0 for size, extent in zip(a.sizes, extents))
        if a.coordinates == "asymmetric" and a.rounding == "down":
            return F.interpolate(x, a.sizes, mode="nearest")
        if centred and (a.rounding == "half_up" or never_between and a.rounding == "half_down"):
            return F.interpolate(x, a.sizes, mode="nearest-exact")
    elif centred or corners:
        modes = {"linear": ["linear", "bilinear", "trilinear"], "cubic": ["", "bicubic", ""]}
        mode = modes[a.interpolation][len(extents) - 1]
        if mode and (a.interpolation == "linear" or a.cubic_coefficient == -0.75):
            return F.interpolate(x, a.sizes, mode=mode, align_corners=corners)
    raise Refusal("PyTorch interpolates at other positions or with another kernel")


def pooling(a, dims, x):
    n = len(a.kernel)
    if a.whole:
        return getattr(F, f"adaptive_{'max' if a.kind == 'max' else 'avg'}_pool{n}d")(x, 1)
    if a.kind == "max":
        x, pad = padded(x, a, -math.inf)
        return getattr(F, f"max_pool{n}d")(x, a.kernel, a.stride, pad, a.dilation, a.ceil_mode)
    if a.pad_begin != a.pad_end or max(a.dilation) > 1:
        raise Refusal("PyTorch's average pooling has neither uneven padding nor dilation")
    return getattr(F, f"avg_pool{n}d")(x, a.kernel, a.stride, a.pad_begin, a.ceil_mode, a.count_include_pad)


def attention(a, dims, q, k, v, mask=None):
    packed, kv_heads = q.dim() == 3, a.kv_heads or a.heads
    if packed:
        q, k, v = (x.unflatten(2, (h, -1)).transpose(1, 2) for x, h in ((q, a.heads), (k, kv_heads), (v, kv_heads)))
    s, t = q.shape[2], k.shape[2]
    by_kernel = a.causal and mask is None and s == t
    if a.causal and not by_kernel:
        hidden = q.new_full((s, t), -math.inf).triu(t - s + 1)
        mask = hidden if mask is None else mask + hidden
    y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=by_kernel, scale=a.scale or None,
                                       enable_gqa=q.shape[1] != k.shape[1])
    return y.transpose(1, 2).flatten(2) if packed else y


def optimizer_of(o, parameters):
    if o["name"] == "adam":
        return torch.optim.Adam(parameters, o["learning_rate"], (o["beta1"], o["beta2"]), o["epsilon"])
    return torch.optim.SGD(parameters, o["learning_rate"], o.get("momentum", 0.0))


def rows_of_gru(a, array):
    """A GRU's operand with its first two blocks, z and r, in PyTorch's order, or back in strata's."""
    z, r = array[:a.hidden], array[a.hidden:2 * a.hidden]
    return numpy.concatenate([r, z, array[2 * a.hidden:]])


def recurrent(a, dims, x, *operands):
    if a.direction == "reverse":
        raise Refusal("PyTorch has no cell that only reads backward")
    if a.cell == "gru" and not a.reset_after:
        raise Refusal("PyTorch's GRU resets after its product; this one resets before")
    cells, each = a.layers * (2 if a.direction == "bidirectional" else 1), 3 if a.bias else 2
    first = operands[:len(operands) - cells * each] or [x.new_zeros(cells, x.shape[1], a.hidden)] * 2
    flat = []
    for i in range(len(operands) - cells * each, len(operands), each):
        bias = list(operands[i + 2:i + each])
        second = [torch.zeros_like(b) for b in bias]
        if a.cell == "gru" and a.bias:  # the fourth block is added within the reset
            second = [torch.cat([second[0][:2 * a.hidden], bias[0][3 * a.hidden:]])]
            bias = [bias[0][:3 * a.hidden]]
        flat += [*operands[i:i + 2], *bias, *second]
    lstm = a.cell == "lstm"
    results = getattr(torch, a.cell)(x, tuple(first[:2]) if lstm else first[0], flat, a.bias, a.layers, 0.0,
                                     torch.is_grad_enabled(), a.direction == "bidirectional", False)
    return results if a.final_state else results[0]


def batch_normalization(a, dims, x, scale, shift, mean, variance):
    rows = x if a.scope == "spatial" else x.flatten(1)
    mean, variance = mean.view(-1), variance.view(-1)
    before = variance.clone() if a.verified else None
    y = F.batch_norm(rows, mean, variance, scale.reshape(-1), shift.reshape(-1), a.training, 1 - a.momentum, a.epsilon)
    if a.verified and a.training:  # PyTorch's running variance is the unbiased one, strata's the biased
        n = rows.numel() / rows.shape[1]
        variance.data.copy_(a.momentum * before + (variance - a.momentum * before) * ((n - 1) / n))
    return y.view_as(x)


def layer_normalization(a, dims, x, *rest):
    over = x.shape[a.axis:]
    scale, shift = rest[0] if a.scale else None, rest[-1] if a.shift else None
    if a.kind == "standard":
        return F.layer_norm(x, over, scale, shift, a.epsilon)
    y = F.rms_norm(x, over, scale, a.epsilon)
    return y if shift is None else y + shift


def dropout(a, dims, x):
    return x * a.scales if a.scales is not None and a.training else F.dropout(x, a.probability, a.training)


def slices(a, dims, x):
    for axis, start, extent, step in zip(a.axes, a.starts, a.extents, a.steps or [1] * len(a.axes)):
        at = torch.arange(start, start + extent * step, step, device=x.device)
        x = x.narrow(axis, start, extent) if step == 1 else x.index_select(axis, at)
    return x


ACTIVATIONS = {
    "leaky_relu": lambda x, a: F.leaky_relu(x, a.alpha), "clip": lambda x, a: x.clamp(a.alpha, a.beta),
    "elu": lambda x, a: F.elu(x, a.alpha), "gelu_tanh": lambda x, a: F.gelu(x, approximate="tanh"),
    "hard_swish": lambda x, a: F.hardswish(x), "celu": lambda x, a: F.celu(x, a.alpha),
    "hard_sigmoid": lambda x, a: (a.alpha * x + a.beta).clamp(0, 1),
    "thresholded_relu": lambda x, a: F.threshold(x, a.alpha, 0.0)}
ELEMENTWISE = {"multiply": "mul", "subtract": "sub", "divide": "true_divide", "power": "pow", "less_or_equal": "le",
               "equal": "eq", "less": "lt", "greater": "gt", "greater_or_equal": "ge"}
UNARY = {"exponential": "exp", "logarithm": "log", "square_root": "sqrt", "negate": "neg", "absolute": "abs",
         "error_function": "erf", "sine": "sin", "cosine": "cos", "tangent": "tan", "arc_sine": "asin",
         "arc_cosine": "acos", "arc_tangent": "atan", "hyperbolic_sine": "sinh", "hyperbolic_cosine": "cosh",
         "inverse_hyperbolic_sine": "asinh", "inverse_hyperbolic_cosine": "acosh",
         "inverse_hyperbolic_tangent": "atanh", "is_nan": "isnan", "is_infinite": "isinf"}
REDUCTIONS = {
    "maximum": torch.amax, "minimum": torch.amin, "log_sum_exp": torch.logsumexp,
    "sum_of_squares": lambda x, axes, keep: x.square().sum(axes, keep),
    "log_sum": lambda x, axes, keep: x.sum(axes, keep).log(),
    "l1": lambda x, axes, keep: torch.linalg.vector_norm(x, 1, axes, keep),
    "l2": lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keep)}


def folded(a, dims, x, *others):
    if hasattr(a, "exponent"):  # a number, not a tensor
        return x.pow(a.exponent)
    call = getattr(torch, ELEMENTWISE.get(a.kind, a.kind))
    for other in others:
        x = call(x, other)
    return x


def reduction(a, dims, x):
    axes = list(a.axes or range(x.dim()))
    if a.kind != "product":
        return REDUCTIONS.get(a.kind, getattr(torch, a.kind, None))(x, axes, a.keep_axes)
    for axis in sorted((axis % x.dim() for axis in axes), reverse=True):  # PyTorch multiplies over one axis at a time
        x = x.prod(axis, a.keep_axes)
    return x


OPERATORS = {
    "convolution": convolution, "pooling": pooling, "attention": attention, "recurrent": recurrent,
    "batch_normalization": batch_normalization, "layer_normalization": layer_normalization, "dropout": dropout,
    "slice": slices, "elementwise": folded, "transposed_convolution": transposed_convolution, "pad": pad, "resize": resize,
    "fully_connected": lambda a, dims, x, w, b=None: F.linear(x.flatten(1), w, b),
    "matmul": lambda a, dims, x, y: (x.mT if a.transpose_a else x) @ (y.mT if a.transpose_b else y),
    "embedding": lambda a, dims, x, w: F.embedding(x.remainder(a.rows), w),
    "lrn": lambda a, dims, x: F.local_response_norm(x, a.size, a.alpha, a.beta, a.k),
    "group_normalization": lambda a, dims, x, w=None, b=None: F.group_norm(x, a.groups or x.shape[1], w, b, a.epsilon),
    "activation": lambda a, dims, x: ACTIVATIONS.get(a.kind, lambda x, a: getattr(F, a.kind)(x))(x, a),
    "softmax": lambda a, dims, x: (F.log_softmax if a.logarithm else F.softmax)(x, a.axis),
    "unary": lambda a, dims, x: getattr(torch, UNARY.get(a.kind, a.kind))(x),
    "select": lambda a, dims, c, x, y: torch.where(c != 0, x, y),
    "concat": lambda a, dims, *x: torch.cat(x, a.axis),
    "gather": lambda a, dims, x, at: x.index_select(a.axis, at.flatten().remainder(x.shape[a.axis])).reshape(dims[0]),
    "expand": lambda a, dims, x: x.expand(dims[0]).contiguous(),
    "reshape": lambda a, dims, x: x.reshape(dims[0]),
    "transpose": lambda a, dims, x: x.permute(a.permutation).contiguous(),
    "softmax_cross_entropy": lambda a, dims, x, label: F.cross_entropy(x, label),
    "identity": lambda a, dims, x: x.clone(),
    "top_k": lambda a, dims, x: tuple(torch.topk(x, a.k, a.axis, a.largest)),
    "reduction": reduction}
