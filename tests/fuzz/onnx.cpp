// SPDX-License-Identifier: MIT
// Any bytes as an ONNX file.
#include "networks/onnx/import.h"
#include "tests/fuzz/use_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    strata::graph_or_error([&] {
        return strata::import_onnx({.name = "fuzz.onnx",
                                    .bytes = std::as_bytes(std::span(data, size)),
                                    .owner = nullptr,
                                    .folder = {}});
    });
    return 0;
}
