// SPDX-License-Identifier: MIT
#include "op/opaque.h"

namespace strata {

std::vector<ParameterShape> Opaque::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Opaque::outputs(std::span<const Tensor>) const {
    return {};
}

Operations Opaque::operations(const Signature&, Pass) const {
    return work;
}

BackwardReads Opaque::reads() const {
    return {};
}

std::string Opaque::kind_name() const {
    return foreign_type;
}

}  // namespace strata
