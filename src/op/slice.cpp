// SPDX-License-Identifier: MIT
#include "op/slice.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

namespace {

void require_within(const Slice& op, std::size_t i, std::int64_t room) {
    const std::int64_t start = op.starts[i], extent = op.extents[i];
    const std::int64_t step = op.steps.empty() ? 1 : op.steps[i];
    const bool sane = start >= 0 && start < room && extent >= 1 && extent <= room && step != 0 &&
                      step <= max_attribute && step >= -max_attribute;
    const std::int64_t last = sane ? start + (extent - 1) * step : -1;
    if (last < 0 || last >= room) {
        refuse(Slice::type, fmt::format("{} elements from {} in steps of {} leave axis {} of {}",
                                        extent, start, step, op.axes[i], room));
    }
}

}  // namespace

std::vector<ParameterShape> Slice::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Slice::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    if (starts.size() != axes.size() || extents.size() != axes.size() ||
        (!steps.empty() && steps.size() != axes.size())) {
        refuse(type, "it needs one start, one extent and one step for each axis");
    }
    Dims dims = inputs[0].dims;
    std::vector<bool> seen(dims.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axis_index(type, axes[i], dims.size());
        if (seen[axis]) {
            refuse(type, fmt::format("axis {} is given twice; remove one", axes[i]));
        }
        seen[axis] = true;
        require_within(*this, i, inputs[0].dims[axis]);
        dims[axis] = extents[i];
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

Operations Slice::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Slice::reads() const {
    return {};
}

}  // namespace strata
