// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace strata {

// Files built into the program, so that a report needs nothing beside itself. Each is safe inside
// the element it is meant for: the build refuses a script that contains "</script".
extern const std::string_view chart_js;    // Chart.js, for drawing; MIT licence, notice at its head
extern const std::string_view report_js;   // assets/report.js
extern const std::string_view report_css;  // assets/report.css

}  // namespace strata
