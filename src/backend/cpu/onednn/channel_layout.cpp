// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/channel_layout.h"

#include "backend/cpu/onednn/isa.h"

#include <array>
#include <span>

namespace strata::cpu {

namespace {

using Tag = dnnl::memory::format_tag;
constexpr std::int64_t all_channels = 0;
constexpr std::int64_t the_batch = -1;

struct Choice {
    std::array<Tag, 3> tags;  // for one, two and three spatial axes
    std::int64_t inner;
};

enum Which : std::size_t { plain_order, blocks_of_16, blocks_of_8, channels_last, batch_last };
constexpr std::array<Choice, 5> choices = {{{{Tag::abc, Tag::abcd, Tag::abcde}, 1},
                                            {{Tag::aBc16b, Tag::aBcd16b, Tag::aBcde16b}, 16},
                                            {{Tag::aBc8b, Tag::aBcd8b, Tag::aBcde8b}, 8},
                                            {{Tag::acb, Tag::acdb, Tag::acdeb}, all_channels},
                                            {{Tag::bca, Tag::bcda, Tag::bcdea}, the_batch}}};

ChannelLayout layout_as(const Choice& choice, const dnnl::memory::dims& dims) {
    if (choice.inner == the_batch) {
        return {choice.tags[dims.size() - 3], dims[1], dims[0]};
    }
    const std::int64_t inner = choice.inner == all_channels ? dims[1] : choice.inner;
    return {choice.tags[dims.size() - 3], dims[0] * ((dims[1] + inner - 1) / inner), inner};
}

ChannelBlocks required_blocks_of(const Desc& desc) {
    if (const auto blocks = channel_blocks_of(desc)) {
        return *blocks;
    }
    throw Refusal{"a separate bias needs plain, blocked or last channels or the batch last, not " +
                  text_of(desc)};
}

}  // namespace

std::vector<Desc> vector_layouts(const dnnl::memory::dims& dims, ElementType type) {
    std::vector<Desc> layouts;
    for (const Choice& choice : std::span(choices).subspan(blocks_of_16, 3)) {
        const Desc desc = layout_as(choice, dims).desc(dims, type);
        if (!is_padded(desc)) {
            layouts.push_back(desc);
        }
    }
    return layouts;
}

Desc asked_layout(ImageLayout asked, const dnnl::memory::dims& dims, ElementType type) {
    const auto as = [&](Which which) {
        return layout_as(choices.at(which), dims).desc(dims, type);
    };
    switch (asked) {
        case ImageLayout::channels_first:
            return as(plain_order);
        case ImageLayout::channels_last:
            return as(channels_last);
        case ImageLayout::blocked:
            return as(effective_isa() == Isa::avx512 ? blocks_of_16 : blocks_of_8);
        case ImageLayout::batch_last:
            // Only the library has convolutions of lines and volumes, in its own layouts.
            return dims.size() == 4 ? as(batch_last) : any_layout(dims, type);
        case ImageLayout::automatic:
            break;
    }
    return any_layout(dims, type);
}

bool is_batch_last(const Desc& desc) {
    const auto dims = dims_of(desc);
    return dims.size() >= 3 && dims.size() <= 5 && dims[0] > 1 &&
           layout_as(choices.at(batch_last), dims).desc(dims, type_of(desc)) == desc;
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

std::optional<ChannelBlocks> channel_blocks_of(const Desc& desc) {
    const ChannelLayout layout = channel_layout_of(desc);
    const auto dims = dims_of(desc);
    if (layout.desc(dims, type_of(desc)) != desc) {
        return std::nullopt;
    }
    std::int64_t positions = 1;
    for (std::size_t axis = 2; axis < dims.size(); ++axis) {
        positions *= dims[axis];
    }
    if (is_batch_last(desc)) {
        return ChannelBlocks{
            .images = 1, .channels = dims[1], .positions = positions * dims[0], .inner = 1};
    }
    return ChannelBlocks{
        .images = dims[0], .channels = dims[1], .positions = positions, .inner = layout.inner};
}

Call add_bias_call(const TensorView& y, const TensorView& bias) {
    return loop_call(add_bias, {bias, y}, required_blocks_of(y.desc));
}

Call bias_gradient_call(const TensorView& dy, const TensorView& dbias) {
    return loop_call(bias_gradient, {dy, dbias}, required_blocks_of(dy.desc));
}

}  // namespace strata::cpu
