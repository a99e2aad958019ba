// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// Levinthal's analytic table, forward: a convolution is (2 K^2 + 1) Cin Ho Wo Cout + Cin Ho Wo, one
// addition more for each input channel of an output than the products need; a pooling is its window
// for each output, maximum or mean. For Convention::special.
bool levinthal_table(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// His table of ResNets: the same without the last term, (2 K^2 + 1) Cin Ho Wo Cout.
bool levinthal_resnet(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
