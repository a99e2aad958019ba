// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace strata {

// What ran a step, by its origin.
enum class ImplementationKind {
    unknown,            // predicted, or not recorded
    library,            // optimised code of the backend's library
    library_reference,  // the library's plain loops: it has no optimised code for this step
    own,                // strata's code
    alias,              // nothing: the result is the input under another name
};
inline constexpr std::array<std::string_view, 5> names_of(ImplementationKind) {
    return {"unknown", "library", "library-reference", "own", "alias"};
}

// The name of an alias.
inline constexpr std::string_view alias_implementation = "alias";

// The kind of an implementation by its name, for those who make steps, engines and importers: names
// of strata's code begin with "strata:", and oneDNN names its plain loops "ref:any", "lrn_ref:any".
// Everyone else reads the kind.
ImplementationKind kind_of_implementation(std::string_view name);

}  // namespace strata
