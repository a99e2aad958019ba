// SPDX-License-Identifier: MIT
// Any bytes as a network in text form; what is read must be written so that it reads back.
#include "networks/text.h"
#include "tests/fuzz/use_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    strata::graph_or_error([&] {
        strata::Graph graph = strata::parse_graph(text, "fuzz.graph");
        const std::string written = to_text(graph);
        const std::string again = to_text(strata::parse_graph(written, "fuzz.graph"));
        strata::check(written == again, "a network written as text reads back");
        return graph;
    });
    return 0;
}
