#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records four runs of a model by ONNX Runtime's profiler: onnxruntime_inference.py MODEL.onnx FILE.json all|off"""
import os
import sys

import numpy
import onnxruntime


def main(model, file, optimization):
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.intra_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimization == "all" else levels.ORT_DISABLE_ALL
    options.profile_file_prefix = "/tmp/onnxruntime"
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    given = session.get_inputs()[0]
    for _ in range(4):
        session.run(None, {given.name: numpy.zeros(given.shape, numpy.float32)})
    os.replace(session.end_profiling(), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
