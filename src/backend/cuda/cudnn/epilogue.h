// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace strata::cuda {

// What happens to each element of a convolution's result before it is written. cuDNN's compiled
// engines take an addition of an image, if any, then one of a bias, then a ReLU, if any; all else
// needs one that is compiled at run time, of which it says nothing without a driver.
enum class Epilogue {
    add_image,  // plus the same element of another tensor
    add_bias,   // plus its channel's value, of the images' type
    relu,       // 0 where it is negative
};
inline constexpr std::array<std::string_view, 3> names_of(Epilogue) {
    return {"add", "bias", "relu"};
}

}  // namespace strata::cuda
