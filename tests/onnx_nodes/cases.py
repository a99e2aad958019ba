# SPDX-License-Identifier: MIT
"""The ONNX project's own tests of its operators as files that the program onnx_nodes reads.

usage: cases.py FOLDER

Each case becomes FOLDER/NAME with model.onnx, input_N.pb and output_N.pb (TensorProto; none where
the value is a sequence or missing) and a file `tolerance` with the relative and the absolute one.
"""

import os
import sys
import warnings

SKIPPED = 77

try:
    import numpy
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test.case.node import collect_testcases
except ImportError as missing:
    print(f"skipped: {missing}; install the Python packages numpy and onnx, and name their "
          "interpreter in STRATA_PYTHON")
    sys.exit(SKIPPED)


def write_value(path, value):
    if isinstance(value, onnx.TensorProto):
        tensor = value
    elif isinstance(value, (numpy.ndarray, numpy.generic)):
        tensor = numpy_helper.from_array(numpy.asarray(value))
    else:
        return
    with open(path, "wb") as file:
        file.write(tensor.SerializeToString())


def write_case(folder, case):
    os.makedirs(folder)
    onnx.save(case.model, os.path.join(folder, "model.onnx"))
    inputs, outputs = case.data_sets[0]
    for number, value in enumerate(inputs):
        write_value(os.path.join(folder, f"input_{number}.pb"), value)
    for number, value in enumerate(outputs):
        write_value(os.path.join(folder, f"output_{number}.pb"), value)
    with open(os.path.join(folder, "tolerance"), "w", encoding="ascii") as file:
        file.write(f"{case.rtol} {case.atol}\n")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    for case in collect_testcases(None):
        write_case(os.path.join(sys.argv[1], case.name), case)


if __name__ == "__main__":
    main()
