// SPDX-License-Identifier: MIT
// Any bytes as a DNNMark file.
#include "networks/dnnmark.h"
#include "tests/fuzz/use_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    strata::graph_or_error([&] { return strata::parse_dnnmark(text, "fuzz.dnnmark"); });
    return 0;
}
