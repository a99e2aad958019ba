# SPDX-License-Identifier: MIT
"""strata's operators in terms of JAX's functions. a: a layer's attributes; dims: of its results."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from protocol import Refusal


def at_rest(o, value):
    """An optimizer's state of a parameter before the first iteration."""
    zeros = jnp.zeros_like(value)
    return (zeros, jnp.zeros_like(value), jnp.zeros(())) if o["name"] == "adam" else zeros


def changed(o, momentum, gradient):
    """An optimizer's new state of a parameter, and the direction of its step."""
    if o["name"] != "adam":
        momentum = o.get("momentum", 0.0) * momentum + gradient
        return momentum, momentum
    betas = [jnp.float32(o[name]) for name in ("beta1", "beta2")]  # the rounding errors cancel
    count = momentum[2] + 1
    moments = [b * m + (1 - b) * g for b, m, g in zip(betas, momentum, (gradient, gradient * gradient))]
    mean, square = (m / (1 - b ** count) for m, b in zip(moments, betas))
    return (*moments, count), mean / (jnp.sqrt(square) + o["epsilon"])


def spatial(x):
    letters = "DHW"[5 - x.ndim:]
    return lax.conv_dimension_numbers(x.shape, x.shape, (f"NC{letters}", f"OI{letters}", f"NC{letters}"))


def convolution(a, dims, x, w, b=None):
    y = lax.conv_general_dilated(x, w, a.stride, list(zip(a.pad_begin, a.pad_end)), rhs_dilation=a.dilation,
                                 dimension_numbers=spatial(x), feature_group_count=a.groups)
    return y if b is None else y + b.reshape(1, -1, *[1] * len(a.kernel))


def transposed_convolution(a, dims, x, w, b=None):
    """The gradient of a convolution: windows of the input with zeros between its elements."""
    n, groups, axes = len(a.kernel), a.groups, tuple(range(2, 2 + len(a.kernel)))
    w = jnp.flip(w, axes).reshape(groups, x.shape[1] // groups, -1, *w.shape[2:])
    w = w.swapaxes(1, 2).reshape(-1, x.shape[1] // groups, *w.shape[3:])
    reach = [d * (k - 1) for d, k in zip(a.dilation, a.kernel)]
    # The results' extents determine the extent of the last window.
    pads = [(r - p, o - 1 - (e - 1) * s + p) for r, p, o, e, s in zip(
        reach, a.pad_begin, dims[0][2:], x.shape[2:], a.stride)]
    y = lax.conv_general_dilated(x, w, (1,) * n, pads, lhs_dilation=a.stride, rhs_dilation=a.dilation,
                                 dimension_numbers=spatial(x), feature_group_count=groups)
    return y if b is None else y + b.reshape(1, -1, *[1] * n)


def pooling(a, dims, x):
    if a.whole:
        return (jnp.max if a.kind == "max" else jnp.mean)(x, tuple(range(2, x.ndim)), keepdims=True)
    window, stride, dilation = ((1, 1, *some) for some in (a.kernel, a.stride, a.dilation))
    # In ceil mode the last window extends beyond the padding.
    reach = [(o - 1) * s + (k - 1) * d + 1 - e - b for o, s, k, d, e, b in zip(
        dims[0][2:], a.stride, a.kernel, a.dilation, x.shape[2:], a.pad_begin)]
    pads = [(0, 0), (0, 0), *zip(a.pad_begin, (max(r, 0) for r in reach))]
    if a.kind == "max":
        return lax.reduce_window(x, -jnp.inf, lax.max, window, stride, pads, window_dilation=dilation)
    if a.count_include_pad and any(r > p for r, p in zip(reach, a.pad_end)):
        raise Refusal("the adapter of JAX does not count padding in a last window of ceil mode")
    def total(t):
        return lax.reduce_window(t, 0.0, lax.add, window, stride, pads, window_dilation=dilation)
    return total(x) / (functools.reduce(lambda n, k: n * k, a.kernel) if a.count_include_pad else total(jnp.ones_like(x)))


def attention(a, dims, q, k, v, mask=None):
    packed, kv_heads = q.ndim == 3, a.kv_heads or a.heads
    if packed:
        q, k, v = (x.reshape(*x.shape[:2], h, -1).swapaxes(1, 2) for x, h in ((q, a.heads), (k, kv_heads), (v, kv_heads)))
    k, v = (jnp.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) * (a.scale or q.shape[3] ** -0.5)
    if mask is not None:
        scores = scores + mask
    if a.causal:
        s, t = scores.shape[2:]
        scores = jnp.where(jnp.tril(jnp.ones((s, t), bool), t - s), scores, -jnp.inf)
    y = jax.nn.softmax(scores, -1) @ v
    return y.swapaxes(1, 2).reshape(dims[0]) if packed else y


def cell(a, gate, wh, more, h, c):
    """The next states. gate: the input's product and the bias; more: the fourth block of a GRU's bias."""
    if a.cell == "gru":
        z, r, n = jnp.split(gate, 3, 1)
        if a.reset_after:
            hz, hr, hn = jnp.split(h @ wh.T, 3, 1)
            z, r = jax.nn.sigmoid(z + hz), jax.nn.sigmoid(r + hr)
            n = jnp.tanh(n + r * (hn + more))
        else:
            hz, hr = jnp.split(h @ wh[:2 * a.hidden].T, 2, 1)
            z, r = jax.nn.sigmoid(z + hz), jax.nn.sigmoid(r + hr)
            n = jnp.tanh(n + (r * h) @ wh[2 * a.hidden:].T)
        return (1 - z) * n + z * h, c
    gate = gate + h @ wh.T
    if a.cell != "lstm":
        return (jnp.tanh if a.cell == "rnn_tanh" else jax.nn.relu)(gate), c
    i, f, g, o = jnp.split(gate, 4, 1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def recurrent(a, dims, x, *operands):
    each, cells = 3 if a.bias else 2, a.layers
    first, weights = operands[:len(operands) - cells * each], operands[len(operands) - cells * each:]
    if a.direction != "forward":
        raise Refusal("the adapter of JAX only supports cells that read forward")
    last, three = [], 3 * a.hidden if a.cell == "gru" else None
    for n in range(cells):
        wi, wh, *b = weights[n * each:(n + 1) * each]
        gates, more = (x @ wi.T + b[0][:three], b[0][three:] if three else 0) if b else (x @ wi.T, 0)

        def step(state, gate, wh=wh, more=more):
            state = cell(a, gate, wh, more, *state)
            return state, state[0]
        zero = jnp.zeros((x.shape[1], a.hidden), x.dtype)
        begin = (first[0][n], first[1][n] if a.cell == "lstm" else zero) if first else (zero, zero)
        states, x = lax.scan(step, begin, gates)
        last.append(states)
    hidden, cell_states = (jnp.stack(one) for one in zip(*last))
    return [x, hidden, cell_states][:1 if not a.final_state else 3 if a.cell == "lstm" else 2]


def normalized(x, axes, epsilon, centred=True):
    mean = x.mean(axes, keepdims=True) if centred else 0.0
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def batch_normalization(a, dims, x, scale, shift, mean, variance):
    axes = (0, *range(2, x.ndim)) if a.scope == "spatial" else (0,)
    shape = [1, -1, *[1] * (x.ndim - 2)] if a.scope == "spatial" else [1, *x.shape[1:]]
    if a.training:
        found = x.mean(axes), x.var(axes)
        y = normalized(x, axes, a.epsilon)
        renewed = [a.momentum * old + (1 - a.momentum) * new.reshape(old.shape) for old, new in zip((mean, variance), found)]
        return y * scale.reshape(shape) + shift.reshape(shape), *renewed
    y = (x - mean.reshape(shape)) * lax.rsqrt(variance.reshape(shape) + a.epsilon)
    return y * scale.reshape(shape) + shift.reshape(shape)


def slices(a, dims, x):
    for axis, start, extent, step in zip(a.axes, a.starts, a.extents, a.steps or [1] * len(a.axes)):
        x = jnp.take(x, jnp.arange(start, start + extent * step, step), axis)
    return x


def lrn(a, dims, x):
    before = (a.size - 1) // 2
    squares = lax.reduce_window(x * x, 0.0, lax.add, (1, a.size, *[1] * (x.ndim - 2)), (1,) * x.ndim,
                                [(0, 0), (before, a.size - 1 - before), *[(0, 0)] * (x.ndim - 2)])
    return x * (a.k + a.alpha / a.size * squares) ** -a.beta


def layer_normalization(a, dims, x, *rest):
    y = normalized(x, tuple(range(a.axis % x.ndim, x.ndim)), a.epsilon, a.kind == "standard")
    y = y * rest[0] if a.scale else y
    return y + rest[-1] if a.shift else y


def dropout(a, dims, x, key):
    if not a.training:
        return x
    kept = 1 - a.probability
    return x * (a.scales if a.scales is not None else jax.random.bernoulli(key, kept, x.shape) / kept)


ACTIVATIONS = {
    "clip": lambda x, a: x.clip(a.alpha, a.beta), "tanh": lambda x, a: jnp.tanh(x),
    "gelu": lambda x, a: jax.nn.gelu(x, approximate=False), "gelu_tanh": lambda x, a: jax.nn.gelu(x),
    "leaky_relu": lambda x, a: jax.nn.leaky_relu(x, a.alpha), "elu": lambda x, a: jax.nn.elu(x, a.alpha),
    "hard_sigmoid": lambda x, a: (a.alpha * x + a.beta).clip(0, 1)}
UNARY = {"exponential": "exp", "logarithm": "log", "square_root": "sqrt", "negate": "negative", "absolute": "abs",
         "sine": "sin", "cosine": "cos", "tangent": "tan"}
OPERATORS = {
    "convolution": convolution, "pooling": pooling, "attention": attention, "recurrent": recurrent, "lrn": lrn,
    "batch_normalization": batch_normalization, "layer_normalization": layer_normalization, "slice": slices,
    "dropout": dropout, "transposed_convolution": transposed_convolution,
    "fully_connected": lambda a, dims, x, w, b=0.0: x.reshape(x.shape[0], -1) @ w.T + b,
    "matmul": lambda a, dims, x, y: (x.swapaxes(-1, -2) if a.transpose_a else x) @ (
        y.swapaxes(-1, -2) if a.transpose_b else y),
    "embedding": lambda a, dims, x, w: w[x % a.rows],
    "activation": lambda a, dims, x: ACTIVATIONS.get(a.kind, lambda x, a: getattr(jax.nn, a.kind)(x))(x, a),
    "softmax": lambda a, dims, x: (jax.nn.log_softmax if a.logarithm else jax.nn.softmax)(x, a.axis),
    "elementwise": lambda a, dims, *x: functools.reduce(getattr(jnp, a.kind), x),
    "unary": lambda a, dims, x: lax.erf(x) if a.kind == "error_function" else getattr(jnp, UNARY.get(a.kind, a.kind))(x),
    "reduction": lambda a, dims, x: getattr(jnp, {"maximum": "max", "minimum": "min"}.get(a.kind, a.kind))(
        x, tuple(a.axes) or None, keepdims=a.keep_axes),
    "concat": lambda a, dims, *x: jnp.concatenate(x, a.axis), "reshape": lambda a, dims, x: x.reshape(dims[0]),
    "gather": lambda a, dims, x, at: jnp.take(x, at.flatten() % x.shape[a.axis], a.axis).reshape(dims[0]),
    "select": lambda a, dims, c, x, y: jnp.where(c != 0, x, y),
    "transpose": lambda a, dims, x: x.transpose(a.permutation), "identity": lambda a, dims, x: x + 0,
    "expand": lambda a, dims, x: jnp.broadcast_to(x, dims[0]),
    "softmax_cross_entropy": lambda a, dims, x, label: -jnp.take_along_axis(
        jax.nn.log_softmax(x, 1), label.astype(int)[:, None], 1).mean()}
