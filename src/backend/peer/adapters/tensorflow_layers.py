# SPDX-License-Identifier: MIT
"""strata's operators in terms of TensorFlow's functions, with channels last. a: a layer's attributes; dims: of its
results, in strata's order."""
import functools
import math

import tensorflow as tf
from protocol import Refusal


def pads_of(a):
    return [[0, 0], *([b, e] for b, e in zip(a.pad_begin, a.pad_end)), [0, 0]]


def convolution(a, dims, x, w, b=None):
    n, per_group = len(a.kernel), w.shape[-2]
    groups, pads = x.shape[-1] // per_group, pads_of(a)
    stride, dilation = [1, *a.stride, 1], [1, *a.dilation, 1]
    if n == 2 and groups == x.shape[-1] > 1:
        w = tf.reshape(w, [*w.shape[:2], groups, -1])
        y = tf.nn.depthwise_conv2d(x, w, stride, pads, dilations=a.dilation if max(a.dilation) > 1 else None)
    elif n == 2:
        # The CPU kernels have no gradients of groups.
        pairs = zip(tf.split(x, groups, -1), tf.split(w, groups, -1)) if groups > 1 else [(x, w)]
        parts = [tf.nn.conv2d(one, each, stride, pads, dilations=dilation) for one, each in pairs]
        y = parts[0] if groups == 1 else tf.concat(parts, -1)
    else:
        y = tf.nn.convolution(tf.pad(x, pads), w, a.stride, "VALID", dilations=a.dilation)
    return y if b is None else tf.nn.bias_add(y, b)


def transposed_convolution(a, dims, x, w, b=None):
    """The result of all windows, with the padding removed."""
    if len(a.kernel) != 2 or max(a.dilation) > 1:
        raise Refusal("the adapter of TensorFlow transposes convolutions of images, without dilation")
    n, full = x.shape[0], [(e - 1) * s + k for e, s, k in zip(x.shape[1:3], a.stride, a.kernel)]
    parts = [tf.nn.conv2d_transpose(one, each, [n, *full, w.shape[-2]], a.stride, "VALID")
             for one, each in zip(tf.split(x, a.groups, -1), tf.split(w, a.groups, -1))]
    y = parts[0] if a.groups == 1 else tf.concat(parts, -1)
    more = [max(p + o - f, 0) for p, o, f in zip(a.pad_begin, dims[0][2:], full)]  # of an output padding
    y = tf.pad(y, [[0, 0], *([0, m] for m in more), [0, 0]]) if any(more) else y
    y = tf.slice(y, [0, *a.pad_begin, 0], [n, *dims[0][2:], y.shape[-1]])
    return y if b is None else tf.nn.bias_add(y, b)


def pooling(a, dims, x):
    n, spatial = len(a.kernel), list(range(1, x.shape.rank - 1))
    if a.whole:
        return (tf.reduce_max if a.kind == "max" else tf.reduce_mean)(x, spatial, keepdims=True)
    # In ceil mode the last window extends beyond the padding.
    reach = [max((o - 1) * s + (k - 1) * d + 1 - e - b, 0) for o, s, k, d, e, b in zip(
        dims[0][2:], a.stride, a.kernel, a.dilation, x.shape[1:-1], a.pad_begin)]
    if max(a.dilation) > 1 or (a.kind != "max" and a.count_include_pad and any(r > p for r, p in zip(reach, a.pad_end))):
        raise Refusal("TensorFlow has no dilated pooling, and none of padding in a last window of ceil mode")
    pads = [[0, 0], *([b, r] for b, r in zip(a.pad_begin, reach)), [0, 0]]
    padded = any(b or r for b, r in pads)
    if a.kind == "max":
        x = tf.pad(x, pads, constant_values=-math.inf) if padded else x
        return tf.nn.max_pool(x, a.kernel, a.stride, "VALID")
    y = tf.nn.avg_pool(tf.pad(x, pads) if padded else x, a.kernel, a.stride, "VALID")
    if padded and not a.count_include_pad:
        y = y / tf.nn.avg_pool(tf.pad(tf.ones([1, *x.shape[1:-1], 1]), pads), a.kernel, a.stride, "VALID")
    return y


def attention(a, dims, q, k, v, mask=None):
    packed, kv_heads = q.shape.rank == 3, a.kv_heads or a.heads
    if packed:
        q, k, v = (tf.transpose(tf.reshape(x, [*x.shape[:2], h, -1]), [0, 2, 1, 3])
                   for x, h in ((q, a.heads), (k, kv_heads), (v, kv_heads)))
    k, v = (tf.repeat(x, q.shape[1] // x.shape[1], 1) if x.shape[1] != q.shape[1] else x for x in (k, v))
    scores = tf.matmul(q, k, transpose_b=True) * (a.scale or q.shape[3] ** -0.5)
    scores = scores if mask is None else scores + mask
    if a.causal:
        s, t = scores.shape[2:]
        scores = tf.where(tf.linalg.band_part(tf.ones([s, t]), -1, t - s) > 0, scores, -math.inf)
    y = tf.matmul(tf.nn.softmax(scores), v)
    return tf.reshape(tf.transpose(y, [0, 2, 1, 3]), dims[0]) if packed else y


def cell(a, gate, wh, more, h, c):
    """The next states. gate: the input's product and the bias; more: the fourth block of a GRU's bias."""
    if a.cell == "gru":
        z, r, n = tf.split(gate, 3, 1)
        if a.reset_after:
            hz, hr, hn = tf.split(tf.matmul(h, wh, transpose_b=True), 3, 1)
            z, r = tf.sigmoid(z + hz), tf.sigmoid(r + hr)
            n = tf.tanh(n + r * (hn + more))
        else:
            hz, hr = tf.split(tf.matmul(h, wh[:2 * a.hidden], transpose_b=True), 2, 1)
            z, r = tf.sigmoid(z + hz), tf.sigmoid(r + hr)
            n = tf.tanh(n + tf.matmul(r * h, wh[2 * a.hidden:], transpose_b=True))
        return (1 - z) * n + z * h, c
    gate = gate + tf.matmul(h, wh, transpose_b=True)
    if a.cell != "lstm":
        return tf.tanh(gate) if a.cell == "rnn_tanh" else tf.nn.relu(gate), c
    i, f, g, o = tf.split(gate, 4, 1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def recurrent(a, dims, x, *operands):
    """Unrolled, as Keras does on request."""
    each = 3 if a.bias else 2
    first, weights = operands[:len(operands) - a.layers * each], operands[len(operands) - a.layers * each:]
    if a.direction != "forward":
        raise Refusal(f"the adapter of TensorFlow has no {a.cell} that reads {a.direction}")
    zero, last, three = tf.zeros([x.shape[1], a.hidden]), [], 3 * a.hidden if a.cell == "gru" else None
    for n in range(a.layers):
        wi, wh, *b = weights[n * each:(n + 1) * each]
        gates = tf.unstack(tf.einsum("tni,gi->tng", x, wi) + (b[0][:three] if b else 0.0))
        more = b[0][three:] if b and three else 0.0
        h, c = (first[0][n], first[1][n] if a.cell == "lstm" else None) if first else (zero, zero)
        states = []
        for gate in gates:
            h, c = cell(a, gate, wh, more, h, c)
            states.append(h)
        x = tf.stack(states)
        last.append((h, c if a.cell == "lstm" else None))
    return [x, *(tf.stack(one) for one in zip(*last) if one[0] is not None)] if a.final_state else x


def normalized(x, axes, epsilon, centred=True):
    x = x - tf.reduce_mean(x, axes, keepdims=True) if centred else x
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), axes, keepdims=True) + epsilon)


def batch_normalization(a, dims, x, *parameters):
    """In training, also returns the new running mean and variance."""
    if a.scope != "spatial" or x.shape.rank != 4:
        raise Refusal("the adapter of TensorFlow only normalises batches of images")
    scale, shift, mean, variance = (tf.reshape(p, [-1]) for p in parameters)
    if not a.training:
        return tf.compat.v1.nn.fused_batch_norm(x, scale, shift, mean, variance, a.epsilon, is_training=False)[0]
    y, m, v = tf.compat.v1.nn.fused_batch_norm(x, scale, shift, epsilon=a.epsilon, is_training=True)
    n = x.shape.num_elements() / x.shape[-1]  # TensorFlow's variance is the unbiased one
    renewed = zip((mean, variance), (m, v * ((n - 1) / n)), parameters[2:])
    return [y, *(tf.reshape(a.momentum * old + (1 - a.momentum) * new, p.shape) for old, new, p in renewed)]


def layer_normalization(a, dims, x, *rest):
    y = normalized(x, list(range(a.axis % x.shape.rank, x.shape.rank)), a.epsilon, a.kind == "standard")
    y = y * rest[0] if a.scale else y
    return y + rest[-1] if a.shift else y


def lrn(a, dims, x):
    if a.size % 2 == 0 or x.shape.rank != 4:
        raise Refusal("TensorFlow's local response normalisation only supports images, over an odd number of channels")
    return tf.nn.local_response_normalization(x, a.size // 2, a.k, a.alpha / a.size, a.beta)


def slices(a, dims, x):
    for axis, start, extent, step in zip(a.axes, a.starts, a.extents, a.steps or [1] * len(a.axes)):
        x = tf.gather(x, tf.range(start, start + extent * step, step), axis=axis)
    return x


def dropout(a, dims, x):
    if not a.training:
        return tf.identity(x)
    return x * a.scales if a.scales is not None else tf.nn.dropout(x, a.probability)


ACTIVATIONS = {
    "clip": lambda x, a: tf.clip_by_value(x, a.alpha, a.beta), "gelu": lambda x, a: tf.nn.gelu(x),
    "gelu_tanh": lambda x, a: tf.nn.gelu(x, approximate=True), "leaky_relu": lambda x, a: tf.nn.leaky_relu(x, a.alpha),
    "hard_swish": lambda x, a: x * tf.nn.relu6(x + 3) / 6, "hard_sigmoid": lambda x, a: tf.clip_by_value(a.alpha * x + a.beta, 0, 1)}
ELEMENTWISE = {"power": "pow", "add": "add"}
UNARY = {"exponential": "exp", "logarithm": "log", "square_root": "sqrt", "negate": "negative", "absolute": "abs",
         "error_function": "erf", "sine": "sin", "cosine": "cos", "tangent": "tan"}
REDUCTIONS = {"mean": tf.reduce_mean, "sum": tf.reduce_sum, "maximum": tf.reduce_max, "minimum": tf.reduce_min}
OPERATORS = {
    "convolution": convolution, "pooling": pooling, "attention": attention, "recurrent": recurrent, "lrn": lrn,
    "batch_normalization": batch_normalization, "layer_normalization": layer_normalization, "slice": slices,
    "dropout": dropout, "transposed_convolution": transposed_convolution,
    "fully_connected": lambda a, dims, x, w, b=None: (lambda y: y if b is None else tf.nn.bias_add(y, b))(
        tf.matmul(tf.reshape(x, [x.shape[0], -1]), w, transpose_b=True)),
    "matmul": lambda a, dims, x, y: tf.matmul(x, y, transpose_a=a.transpose_a, transpose_b=a.transpose_b),
    "embedding": lambda a, dims, x, w: tf.gather(w, x % a.rows),
    "activation": lambda a, dims, x: ACTIVATIONS.get(a.kind, lambda x, a: getattr(tf.nn, a.kind)(x))(x, a),
    "softmax": lambda a, dims, x: (tf.nn.log_softmax if a.logarithm else tf.nn.softmax)(x, a.axis),
    "elementwise": lambda a, dims, *x: functools.reduce(getattr(tf.math, ELEMENTWISE.get(a.kind, a.kind)), x),
    "unary": lambda a, dims, x: getattr(tf.math, UNARY.get(a.kind, a.kind))(x),
    "reduction": lambda a, dims, x: REDUCTIONS[a.kind](x, a.axes or None, a.keep_axes),
    "concat": lambda a, dims, *x: tf.concat(x, a.axis),
    "gather": lambda a, dims, x, at: tf.reshape(tf.gather(x, tf.reshape(at, [-1]) % x.shape[a.axis], axis=a.axis), dims[0]),
    "reshape": lambda a, dims, x: tf.reshape(x, dims[0]), "expand": lambda a, dims, x: tf.broadcast_to(x, dims[0]),
    "transpose": lambda a, dims, x: tf.transpose(x, a.permutation), "identity": lambda a, dims, x: tf.identity(x),
    "softmax_cross_entropy": lambda a, dims, x, label: tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(label, tf.int64), x))}
IMAGES = ("convolution", "transposed_convolution", "pooling", "lrn", "batch_normalization")
ANY_ORDER = ("activation", "dropout", "identity", "elementwise", "concat")


def images_among(network):
    """The tensors with channels last: those of layers that need it, and those read or written together with them in any
    order."""
    found, before = set(), -1
    while len(found) != before:
        before = len(found)
        for layer in network.layers:
            tensors = {t for t in [*layer.inputs, *layer.outputs] if network.tensors[t].role not in
                       ("parameter", "state") and len(network.tensors[t].dims) > 2}
            ranks = {len(network.tensors[t].dims) for t in [*layer.inputs, *layer.outputs]}
            if layer.type in IMAGES and len(network.tensors[layer.inputs[0]].dims) > 2:
                found |= tensors
            elif layer.type in ANY_ORDER and tensors & found and len(ranks) == 1:
                found |= tensors
    return found
