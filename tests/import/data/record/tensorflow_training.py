#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records three training steps of net.graph by TensorFlow's profiler: tensorflow_training.py FILE.trace.json.gz
The package xprof makes the trace viewer's file of it, as TensorBoard's plugin does."""
import glob
import gzip
import sys
import tempfile

import tensorflow as tf
from xprof.convert import raw_to_tool_data


def main(file):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    net = tf.keras.Sequential([
        tf.keras.Input((16, 16, 3)),
        tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu", name="conv1"),
        tf.keras.layers.MaxPooling2D(name="pool1"),
        tf.keras.layers.Flatten(name="flat"),
        tf.keras.layers.Dense(10, name="fc"),
    ])
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, y = tf.random.normal((4, 16, 16, 3)), tf.zeros((4,), tf.int32)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(y, net(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))

    step()
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        for number in range(3):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step()
        tf.profiler.experimental.stop()
        planes = glob.glob(f"{folder}/plugins/profile/*/*.xplane.pb")
        data, _ = raw_to_tool_data.xspace_to_tool_data(planes, "trace_viewer", {})
    data = data if isinstance(data, bytes) else data.encode()
    open(file, "wb").write(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
