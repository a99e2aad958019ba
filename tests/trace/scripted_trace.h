// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <string>

namespace strata {

constexpr Task first{.layer = 0, .pass = Pass::forward};
constexpr Task second{.layer = 1, .pass = Pass::forward};

// A kernel from `start` to `end`, in nanoseconds.
inline Span kernel(const std::string& name, std::int64_t start, std::int64_t end) {
    return {.name = name, .start = Nanoseconds(start), .end = Nanoseconds(end)};
}

// The same, launched by a call.
inline Span called(std::uint32_t correlation, const std::string& name, std::int64_t start,
                   std::int64_t end) {
    Span span = kernel(name, start, end);
    span.correlation = correlation;
    return span;
}

// The same, launched by a node of a graph; all nodes of a launch share its call.
inline Span launched(std::uint64_t node, const std::string& name, std::int64_t start,
                     std::int64_t end) {
    Span span = called(77, name, start, end);
    span.graph_node = node;
    return span;
}

}  // namespace strata
