// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <numeric>

namespace strata::cpu {

namespace {

using Extents = dnnl::memory::dims;

Extents row_major_strides(const Extents& dims) {
    Extents strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * std::max<dnnl::memory::dim>(dims[axis], 1);
    }
    return strides;
}

std::size_t product_of(const Extents& dims) {
    return static_cast<std::size_t>(
        std::accumulate(dims.begin(), dims.end(), dnnl::memory::dim{1}, std::multiplies<>()));
}

// One loop over memory: an axis, or a block of one, and its extent.
struct Loop {
    std::size_t axis = 0;
    dnnl::memory::dim extent = 1;
};

std::vector<std::size_t> outer_axes(const Blocking& blocking) {
    std::vector<std::size_t> axes(blocking.dims.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::ranges::stable_sort(axes, std::greater<>(),
                             [&](std::size_t axis) { return blocking.strides[axis]; });
    return axes;
}

bool is_inner(const Blocking& blocking, std::size_t axis) {
    return std::ranges::count(blocking.inner_axes, static_cast<dnnl::memory::dim>(axis)) > 0;
}

// The number of elements of an axis that one outer index covers.
dnnl::memory::dim block_of(const Blocking& blocking, std::size_t axis) {
    dnnl::memory::dim block = 1;
    for (std::size_t i = 0; i < blocking.inner_axes.size(); ++i) {
        block *=
            static_cast<std::size_t>(blocking.inner_axes[i]) == axis ? blocking.inner_sizes[i] : 1;
    }
    return block;
}

// The loops over memory from outermost to innermost, without those of extent 1.
std::vector<Loop> loops_of(const Blocking& blocking) {
    std::vector<Loop> loops;
    for (const std::size_t axis : outer_axes(blocking)) {
        loops.push_back({axis, blocking.padded_dims[axis] / block_of(blocking, axis)});
    }
    for (std::size_t i = 0; i < blocking.inner_axes.size(); ++i) {
        loops.push_back(
            {static_cast<std::size_t>(blocking.inner_axes[i]), blocking.inner_sizes[i]});
    }
    std::erase_if(loops, [](const Loop& loop) { return loop.extent == 1; });
    return loops;
}

// The distance between the first element and element `index` along one axis. Blocks of one axis are
// counted from the innermost.
dnnl::memory::dim offset_along(const Blocking& blocking, std::size_t axis,
                               dnnl::memory::dim index) {
    dnnl::memory::dim offset = 0, step = 1;
    for (std::size_t block = blocking.inner_axes.size(); block-- > 0;) {
        const dnnl::memory::dim size = blocking.inner_sizes[block];
        if (static_cast<std::size_t>(blocking.inner_axes[block]) == axis) {
            offset += index % size * step;
            index /= size;
        }
        step *= size;
    }
    return offset + index * blocking.strides[axis];
}

// The layouts of activations other than the plain one.
struct Named {
    std::string_view text;
    dnnl::memory::format_tag tag;
};
using dnnl::memory;
constexpr std::array named_layouts = {
    Named{"acb", memory::format_tag::acb},         Named{"acdb", memory::format_tag::acdb},
    Named{"acdeb", memory::format_tag::acdeb},     Named{"bca", memory::format_tag::bca},
    Named{"bcda", memory::format_tag::bcda},       Named{"bcdea", memory::format_tag::bcdea},
    Named{"aBc8b", memory::format_tag::aBc8b},     Named{"aBc16b", memory::format_tag::aBc16b},
    Named{"aBcd8b", memory::format_tag::aBcd8b},   Named{"aBcd16b", memory::format_tag::aBcd16b},
    Named{"aBcde8b", memory::format_tag::aBcde8b}, Named{"aBcde16b", memory::format_tag::aBcde16b}};

std::string_view name_of(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return "f32";
        case ElementType::bf16:
            return "bf16";
        case ElementType::f16:
            return "f16";
        case ElementType::s32:
            return "s32";
        case ElementType::s8:
            return "s8";
        case ElementType::u8:
            return "u8";
        default:
            return "other";
    }
}

}  // namespace

Extents extents_of(const Tensor& tensor) {
    return tensor.dims.empty() ? Extents{1} : Extents(tensor.dims.begin(), tensor.dims.end());
}

Desc plain(const Extents& dims, ElementType type) {
    return Desc(dims, type, row_major_strides(dims));
}

Desc any_layout(const Extents& dims, ElementType type) {
    return Desc(dims, type, dnnl::memory::format_tag::any);
}

bool is_padded(const Desc& desc) {
    if (!is_blocked(desc)) {
        return false;
    }
    const Blocking blocking = blocking_of(desc);
    return blocking.dims != blocking.padded_dims;
}

bool is_plain(const Desc& desc) {
    if (!is_blocked(desc) || is_padded(desc)) {
        return false;
    }
    const Blocking blocking = blocking_of(desc);
    const auto loops = loops_of(blocking);
    const bool in_order = std::ranges::is_sorted(loops, std::ranges::less(),
                                                 [](const Loop& loop) { return loop.axis; });
    return in_order && blocking.offset == 0 &&
           desc.get_size() == elements_of(desc) * dnnl::memory::data_type_size(type_of(desc));
}

std::size_t elements_of(const Desc& desc) {
    return product_of(dims_of(desc));
}

std::size_t stored_elements_of(const Desc& desc) {
    return desc.get_size() / dnnl::memory::data_type_size(type_of(desc));
}

AxisOffsets offsets_of(const Desc& desc) {
    const Blocking blocking = blocking_of(desc);
    AxisOffsets offsets(blocking.dims.size());
    for (std::size_t axis = 0; axis < offsets.size(); ++axis) {
        for (dnnl::memory::dim i = 0; i < blocking.dims[axis]; ++i) {
            offsets[axis].push_back(offset_along(blocking, axis, i));
        }
    }
    return offsets;
}

Desc alike(const Desc& model, const Extents& dims, ElementType type) {
    const Desc dense = plain(dims, type);
    if (!is_blocked(model) || is_plain(model) || dims_of(model).size() != dims.size()) {
        return dense;
    }
    const auto* const named = std::ranges::find(named_layouts, text_of(model), &Named::text);
    if (named == named_layouts.end()) {
        return dense;
    }
    const Desc same(dims, type, named->tag);
    return 2 * same.get_size() > 3 * dense.get_size() ? dense : same;
}

std::string text_of(const Desc& desc) {
    if (!is_blocked(desc)) {
        return is_any(desc) ? "any" : "opaque";
    }
    const Blocking blocking = blocking_of(desc);
    std::string text;
    for (const std::size_t axis : outer_axes(blocking)) {
        const char first = is_inner(blocking, axis) ? 'A' : 'a';
        text += static_cast<char>(first + static_cast<char>(axis));
    }
    for (std::size_t i = 0; i < blocking.inner_axes.size(); ++i) {
        text += std::to_string(blocking.inner_sizes[i]);
        text += static_cast<char>('a' + static_cast<char>(blocking.inner_axes[i]));
    }
    return text;
}

std::string text_of(const Desc& from, const Desc& to) {
    const auto text = [&](const Desc& desc) {
        return type_of(from) == type_of(to)
                   ? text_of(desc)
                   : std::string(name_of(type_of(desc))) + ":" + text_of(desc);
    };
    return text(from) + " -> " + text(to);
}

}  // namespace strata::cpu
