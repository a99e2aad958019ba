// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/operator/families.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace strata {

namespace {

// The part that Slice or Split takes along one axis: `extent` positions from `start` on.
struct Cut {
    std::size_t axis = 0;
    std::int64_t start = 0;
    std::int64_t extent = 0;
    std::int64_t step = 1;
};

constexpr std::int64_t max_bound = std::int64_t{1} << 62;  // sums of two do not overflow

// One of Slice's lists: input `i` since opset 10, an attribute before.
Dims slice_list(const NodeImport& node, std::size_t i, std::string_view attribute) {
    return node.has_input(i) ? node.integers_of_input(i) : node.integers(attribute);
}

std::int64_t absolute(std::int64_t position, std::int64_t extent) {
    position = std::clamp(position, -max_bound, max_bound);
    return position < 0 ? position + extent : position;
}

Cut cut_along(std::size_t axis, std::int64_t extent, std::int64_t start, std::int64_t end,
              std::int64_t step) {
    if (step == 0) {
        throw Error("a step of 0 never ends");
    }
    step = std::clamp(step, -extent - 1, extent + 1);
    if (step > 0) {
        const auto first = std::clamp<std::int64_t>(absolute(start, extent), 0, extent);
        const auto last = std::clamp<std::int64_t>(absolute(end, extent), first, extent);
        return {axis, first, (last - first + step - 1) / step, step};
    }
    const auto first = std::clamp<std::int64_t>(absolute(start, extent), -1, extent - 1);
    const auto last = std::clamp<std::int64_t>(absolute(end, extent), -1, first);
    return {axis, std::max<std::int64_t>(first, 0), (first - last - step - 1) / -step, step};
}

std::vector<Cut> cuts_of(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const Dims starts = slice_list(node, 1, "starts");
    const Dims ends = slice_list(node, 2, "ends");
    const Dims axes = slice_list(node, 3, "axes");
    const Dims steps = slice_list(node, 4, "steps");
    const auto fits = [&](const Dims& list) {
        return list.empty() || list.size() == starts.size();
    };
    if (ends.size() != starts.size() || !fits(axes) || !fits(steps) || starts.size() > max_rank) {
        throw Error("its numbers of starts, ends, axes and steps differ");
    }
    std::vector<Cut> cuts;
    std::vector<bool> is_cut(dims.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto axis =
            axis_of(axes.empty() ? static_cast<std::int64_t>(i) : axes[i], dims.size());
        if (is_cut[axis]) {
            throw Error(fmt::format("axis {} is cut twice", axis));
        }
        is_cut[axis] = true;
        cuts.push_back(
            cut_along(axis, dims[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]));
    }
    return cuts;
}

// Extents of a split without stated sizes: equal, the last one smaller if necessary.
Dims equal_parts(std::int64_t extent, std::int64_t parts) {
    if (parts < 1 || parts > extent) {
        throw Unsupported{fmt::format("{} cannot be split into {} parts", extent, parts)};
    }
    const std::int64_t size = (extent + parts - 1) / parts;
    Dims sizes(static_cast<std::size_t>(parts), size);
    sizes.back() = extent - size * (parts - 1);
    return sizes;
}

std::vector<Cut> parts_of(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", 0), dims.size());
    Dims sizes = node.has_input(1) ? node.integers_of_input(1) : node.integers("split");
    const auto outputs = std::ssize(node.node().outputs);
    if (sizes.empty()) {
        if (node.integer("num_outputs", outputs) != outputs) {
            throw Error(fmt::format("it has {} outputs where num_outputs says {}", outputs,
                                    node.integer("num_outputs", outputs)));
        }
        sizes = equal_parts(dims[axis], outputs);
    }
    std::vector<Cut> parts;
    std::int64_t start = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || size > dims[axis] - start) {
            break;
        }
        parts.push_back({axis, start, size});
        start += size;
    }
    if (start != dims[axis] || std::ssize(parts) != outputs || parts.size() != sizes.size()) {
        throw Error(fmt::format("its parts {} do not make up the {} along axis {}", to_text(sizes),
                                dims[axis], axis));
    }
    return parts;
}

// An exported part that is cut off and joined again may be empty (a roll by 0); no layer can be.
bool gives_nothing(const NodeImport& node, std::size_t output, const std::vector<Cut>& cuts) {
    Tensor cut_out = node.input(0);
    for (const Cut& cut : cuts) {
        cut_out.dims[cut.axis] = cut.extent;
    }
    if (cut_out.elements() > 0) {
        return false;
    }
    node.give_empty(output, std::move(cut_out));
    return true;
}

Slice slice_of(const std::vector<Cut>& cuts) {
    Slice slice;
    for (const Cut& cut : cuts) {
        slice.axes.push_back(static_cast<std::int64_t>(cut.axis));
        slice.starts.push_back(cut.start);
        slice.extents.push_back(cut.extent);
        slice.steps.push_back(cut.step);
    }
    if (std::ranges::all_of(slice.steps, [](std::int64_t step) { return step == 1; })) {
        slice.steps.clear();
    }
    return slice;
}

bool is_whole(const std::vector<Cut>& cuts, const Dims& dims) {
    return std::ranges::all_of(
        cuts, [&](const Cut& cut) { return cut.step == 1 && cut.extent == dims[cut.axis]; });
}

void convert_slice(const NodeImport& node) {
    const auto cuts = cuts_of(node);
    if (is_whole(cuts, node.input(0).dims)) {
        return node.result(Identity{}, {node.operand(0)});
    }
    if (!gives_nothing(node, 0, cuts)) {
        node.result(slice_of(cuts), {node.operand(0)});
    }
}

void convert_split(const NodeImport& node) {
    const auto parts = parts_of(node);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!node.node().outputs[i].empty() && !gives_nothing(node, i, {parts[i]})) {
            node.result_part(i, slice_of({parts[i]}), {node.operand(0)});
        }
    }
}

Constant sliced(const Constant& from, const Cut& cut) {
    Dims positions;
    for (std::int64_t i = 0; i < cut.extent; ++i) {
        positions.push_back(cut.start + i * cut.step);
    }
    Dims dims = from.tensor.dims;
    dims[cut.axis] = cut.extent;
    return picked_along(from, cut.axis, positions, std::move(dims));
}

std::optional<Constant> fold_slice(const NodeImport& node) {
    Constant result = node.known(0);
    const auto cuts = cuts_of(node);
    const bool is_whole = std::ranges::all_of(cuts, [&](const Cut& cut) {
        return cut.step == 1 && cut.extent == result.tensor.dims[cut.axis];
    });
    if (is_whole || !is_small(result.tensor.dims)) {
        return is_whole ? std::optional(result) : std::nullopt;
    }
    for (const Cut& cut : cuts) {
        result = sliced(result, cut);
    }
    return result;
}

std::optional<std::vector<Constant>> fold_split(const NodeImport& node) {
    if (!is_small(node.input(0).dims)) {
        return std::nullopt;
    }
    std::vector<Constant> parts;
    for (const Cut& cut : parts_of(node)) {
        parts.push_back(sliced(node.known(0), cut));
    }
    return parts;
}

// The end is exclusive. An end before the first element needs a bound that is clamped to it.
void write_slice(const Slice& op, LayerWriter& to) {
    Dims ends, steps;
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
        steps.push_back(op.steps.empty() ? 1 : op.steps[i]);
        const std::int64_t end = op.starts[i] + op.extents[i] * steps[i];
        ends.push_back(end < 0 ? std::numeric_limits<std::int64_t>::min() : end);
    }
    to.last("Slice", {to.in(0), to.integers(op.starts), to.integers(ends), to.integers(op.axes),
                      to.integers(steps)});
}

}  // namespace

OnnxRows slice_rows() {
    static constexpr std::array rows = {
        OnnxRow("Slice")
            .in(convert_slice)
            .folded(fold_slice, FoldCost::may_shrink)
            .out<write_slice>(),
        OnnxRow("Split")
            .in(convert_split, Elements::any, Outputs::several)
            .folded_to_parts(fold_split),
    };
    return rows;
}

}  // namespace strata
