// SPDX-License-Identifier: MIT
#include "graph/implementation.h"

namespace strata {

ImplementationKind kind_of_implementation(std::string_view name) {
    if (name.empty()) {
        return ImplementationKind::unknown;
    }
    if (name == alias_implementation) {
        return ImplementationKind::alias;
    }
    if (name.starts_with("strata:")) {
        return ImplementationKind::own;
    }
    const bool is_reference = name == "ref" || name.find("ref:") != name.npos;
    return is_reference ? ImplementationKind::library_reference : ImplementationKind::library;
}

}  // namespace strata
