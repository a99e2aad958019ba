// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The document as GitHub-flavoured Markdown; charts become tables.
std::string render_markdown(const Document& document);

}  // namespace strata
