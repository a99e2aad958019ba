// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/channel_layout.h"

#include <array>
#include <span>

namespace strata::cpu {

namespace {

using Tag = dnnl::memory::format_tag;
constexpr std::int64_t all_channels = 0;

struct Choice {
    std::array<Tag, 3> tags;  // for one, two and three spatial axes
    std::int64_t inner;
};

constexpr std::array<Choice, 4> choices = {{{{Tag::abc, Tag::abcd, Tag::abcde}, 1},
                                            {{Tag::aBc16b, Tag::aBcd16b, Tag::aBcde16b}, 16},
                                            {{Tag::aBc8b, Tag::aBcd8b, Tag::aBcde8b}, 8},
                                            {{Tag::acb, Tag::acdb, Tag::acdeb}, all_channels}}};

ChannelLayout layout_as(const Choice& choice, const dnnl::memory::dims& dims) {
    const std::int64_t inner = choice.inner == all_channels ? dims[1] : choice.inner;
    return {choice.tags[dims.size() - 3], dims[0] * ((dims[1] + inner - 1) / inner), inner};
}

}  // namespace

std::vector<Desc> vector_layouts(const dnnl::memory::dims& dims, ElementType type) {
    std::vector<Desc> layouts;
    for (const Choice& choice : std::span(choices).subspan(1)) {
        const Desc desc = layout_as(choice, dims).desc(dims, type);
        if (!is_padded(desc)) {
            layouts.push_back(desc);
        }
    }
    return layouts;
}

ChannelLayout channel_layout_of(const Desc& desc) {
    const auto dims = dims_of(desc);
    for (const Choice& choice : choices) {
        const ChannelLayout layout = layout_as(choice, dims);
        if (layout.desc(dims, type_of(desc)) == desc) {
            return layout;
        }
    }
    return layout_as(choices[0], dims);
}

}  // namespace strata::cpu
