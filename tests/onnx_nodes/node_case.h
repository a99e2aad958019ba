// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "networks/onnx/file/constant.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// One of the ONNX project's node tests: a model of one operator (or of those that define it), its
// inputs and the expected outputs.
struct NodeCase {
    std::string name;
    std::filesystem::path model;
    std::vector<std::optional<Constant>> inputs;   // by the model's inputs; nothing: no tensor
    std::vector<std::optional<Constant>> outputs;  // expected
    double relative = 1e-3;
    double absolute = 1e-7;
};

// Throws Error if the folder contains no case.
NodeCase read_node_case(const std::filesystem::path& folder);

// Which of a model's inputs must be known for its shapes to be known: ONNX's own test files provide
// shapes, axes and indices at run time, whereas strata's networks know them.
enum class Known { nothing, numbers, all_but_first, everything };

inline constexpr std::array<std::string_view, 4> names_of(Known) {
    return {"as it stands", "numbers known", "all but the first input known", "folded"};
}

enum class CaseOutcome { passed, failed, unsupported };

struct NodeResult {
    CaseOutcome verdict = CaseOutcome::unsupported;
    Known known = Known::nothing;  // the minimum that makes it supported
    std::string reason = {};       // why it failed or is not supported
};

// Imports and runs a case. It is supported if every node becomes layers that the backend supports.
NodeResult run_node_case(const NodeCase& one, Backend& backend);

}  // namespace strata
