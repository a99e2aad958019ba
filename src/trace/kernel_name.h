// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace strata {

// A kernel's full name without result type, scope, template arguments and parameters: "void
// cudnn::ops::scale<float, 128>(T*, int)" is "scale". Kernels that differ in their arguments share
// it, so it is only for display and never for identifying kernels.
std::string bare_kernel_name(std::string_view full_name);

}  // namespace strata
