// SPDX-License-Identifier: MIT
// Any bytes as a trace of memory accesses, by both engines, whose counts must add up.
#include "simulate/trace.h"

#include "base/error.h"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace strata;
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const CacheEngine engine : {CacheEngine::exact, CacheEngine::distances}) {
        try {
            std::istringstream input(text);
            TraceReader reader(input, "fuzz.trace");
            const auto found =
                simulate_trace(reader, {.bytes = 1 << 16, .line_bytes = 4096, .ways = 4}, engine);
            check(found.lines.hits() <= found.lines.accesses(), "no more hits than accesses");
        } catch (const Error&) {
        }
    }
    return 0;
}
