// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/arrangement.h"

#include <fmt/format.h>
#include <algorithm>

namespace strata {

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

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

TriangleMask::TriangleMask(const NodeImport& node) : upper(node.integer("upper", 1) != 0) {
    const Dims given = node.has_input(1) ? node.integers_of_input(1) : Dims();
    diagonal = given.empty() ? 0 : std::clamp(given[0], -max_bound, max_bound);
}

Dims expand_target(const NodeImport& node) {
    const Dims& from = node.input(0).dims;
    const Dims target = node.integers_of_input(1);
    require_sane(target);
    const std::size_t rank = std::max(target.size(), from.size());
    Dims dims(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t own = i < from.size() ? from[from.size() - 1 - i] : 1;
        const std::int64_t wanted = i < target.size() ? target[target.size() - 1 - i] : 1;
        if (own != wanted && own != 1 && wanted != 1) {
            throw Error(fmt::format("{} cannot be expanded to {}", to_text(from), to_text(target)));
        }
        dims[rank - 1 - i] = own == 1 ? wanted : own;
    }
    require_sane(dims);
    return dims;
}

Dims tile_target(const NodeImport& node) {
    const Dims& from = node.input(0).dims;
    const Dims repeats = node.integers_of_input(1);
    if (repeats.size() != from.size()) {
        throw Error(fmt::format("it has {} repeats for the {} axes of {}", repeats.size(),
                                from.size(), to_text(from)));
    }
    Dims dims = from;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        dims[axis] = product(Dims{dims[axis], repeats[axis]});
    }
    require_sane(dims);
    return dims;
}

Dims reduced_axes(const NodeImport& node) {
    Dims axes = node.has_input(1) ? node.integers_of_input(1) : node.integers("axes");
    const std::size_t rank = node.input(0).dims.size();
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    for (std::int64_t& axis : axes) {
        axis = static_cast<std::int64_t>(axis_of(axis, rank));
    }
    std::ranges::sort(axes);
    if (std::ranges::adjacent_find(axes) != axes.end()) {
        throw Error("its axes repeat");
    }
    return axes;
}

}  // namespace strata
