// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Choices as one line of text, the first that fits a layer first:
// "conv* forward=winograd-4x4-3x3+conv1 backward_data=brgconv:avx2 (tuned)". What names a layer's
// problem or is a glob of layers, a pass, an algorithm or the library's own implementation, and
// where the choice comes from unless it is the user's. No choices: "none".
std::string text_of(const std::vector<AlgorithmChoice>& choices);

// Inverse of text_of; a pass may also be spelt with '-'. Nothing for other text.
std::optional<std::vector<AlgorithmChoice>> parse_choices(std::string_view text);

}  // namespace strata
