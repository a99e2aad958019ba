// SPDX-License-Identifier: MIT
#pragma once

#include "op/problem.h"

namespace strata {

// The short notation for the two operators that are timed most: letters with numbers in any order,
// much as in benchdnn and DNNMark:
//   conv:n32c96h27w27k256r5s5p2   convolution(32x96x27x27) out_channels=256 kernel=5x5, padding 2
//   fc:n32c9216k4096              fully_connected(32x9216) out_features=4096
// n batch, c input channels, h and w the plane, k output channels, r and s the kernel's height and
// width, p pad, u stride, d dilation, g groups. n, p, u, d and g may be absent (1, and p 0), w is h
// and s is r where they are. No operator has a bias here. Throws Error that names the letter.
bool is_short_problem(std::string_view text);
Problem parse_short_problem(std::string_view text);

}  // namespace strata
