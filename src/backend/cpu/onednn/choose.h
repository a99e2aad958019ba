// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/compat.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata::cpu {

// The library's description with any layout, unless the same implementation also accepts the
// present layout: then no reorder is needed, at the same speed. `make` makes the description for a
// layout, `layout_of` returns the layout that a description wants.
template <class Make, class LayoutOf>
auto prefer_layout(const Desc& any, const Desc& present, Make&& make, LayoutOf&& layout_of) {
    auto free = make(any);
    if (layout_of(free) == present) {
        return free;
    }
    try {
        auto bound = make(present);
        if (std::string(bound.impl_info_str()) == free.impl_info_str()) {
            return bound;
        }
    } catch (const dnnl::error&) {
        // The present layout is not supported.
    }
    return free;
}

// The library's error as the reason why a step is computed differently, or not at all.
inline std::string library_refusal(const dnnl::error& error) {
    return std::string("oneDNN has no primitive for it (") + error.what() + ")";
}

// Whether the implementation consists of simple, slow loops: "ref:any", "lrn_ref:any",
// "simple_nchw:any".
inline bool runs_plain_loops(const dnnl::primitive_desc_base& described) {
    const std::string_view name = described.impl_info_str();
    return name.starts_with("ref") || name.starts_with("lrn_ref") ||
           name.starts_with("bnorm_ref") || name.starts_with("simple");
}

// A description; empty if the library has none.
template <class Make>
auto described_if_possible(Make&& make) -> std::optional<decltype(make())> {
    try {
        return make();
    } catch (const dnnl::error&) {
        return std::nullopt;
    }
}

}  // namespace strata::cpu
