// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <span>
#include <string>
#include <string_view>

namespace strata {

// A way to write a document down, by the name that --format knows and a file's usual extension.
struct Renderer {
    std::string_view name;       // "markdown"
    std::string_view extension;  // "md"
    std::string (*render)(const Document& document);
};

// THE list. "terminal" renders for a pipe here: plain ASCII, any width (render_terminal knows
// more).
std::span<const Renderer> renderers();

// By name or extension. Throws Error with exit code usage and the nearest name.
const Renderer& find_renderer(std::string_view name);

}  // namespace strata
