// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A kernel's full name without result type, scope, template arguments and parameters: "void
// cudnn::ops::scale<float, 128>(T*, int)" is "scale". Kernels that differ in their arguments share
// it, so it is only for display and never for identifying kernels.
std::string bare_kernel_name(std::string_view full_name);

// The bare name for people, with what tells apart the instances of a general template: its first
// argument that is a class, likewise shortened. "each_kernel<BiasBody>" for
// "void strata::cuda::each_kernel<strata::cuda::(anonymous namespace)::BiasBody>(...)".
std::string short_kernel_name(std::string_view full_name);

// The launch index of each kernel among those with its full name on its device, from 1, in the
// order of their starts; nothing for copies, fills, and kernels without a plausible start. With
// device, batch and full name it is the key by which Dong et al. (ICPE 2018) identify a kernel in
// another run of the same iteration.
std::vector<std::optional<std::uint32_t>> invocations_of(std::span<const Span> spans);

}  // namespace strata
