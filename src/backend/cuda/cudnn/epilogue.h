// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace strata::cuda {

// An operation on each element of a convolution's result before it is written. cuDNN's precompiled
// engines support the optional addition of an image, then that of a bias, then an optional ReLU.
// Anything else needs an engine compiled at run time, about which cuDNN reports nothing without a
// driver.
enum class Epilogue {
    add_image,  // plus the corresponding element of another tensor
    add_bias,   // plus the channel's value, which has the images' type
    relu,       // max(x, 0)
};
inline constexpr std::array<std::string_view, 3> names_of(Epilogue) {
    return {"add", "bias", "relu"};
}

}  // namespace strata::cuda
