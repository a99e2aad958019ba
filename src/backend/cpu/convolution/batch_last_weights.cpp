// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last.h"
#include "backend/cpu/convolution/batch_last_taps.h"
#include "backend/cpu/convolution/epilogue.h"
#include "backend/cpu/convolution/geometry.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace strata::cpu::batch_last {

namespace {

// The packed elements of x take about half of a core's own cache, and each gradient of a strip is
// small enough for the gradients to stay in the nearest cache.
constexpr Index packed_floats = 48 * 1024;
constexpr Index gradient_floats = 1024;
// Limit for the partial sums of the same weights in all threads.
constexpr Index max_partial_floats = 16 * 1024 * 1024;

// The gradients of the weights: sums over points and images of products of y's gradients and the
// elements of x that they saw. Blocks of x's channels by rows and columns of points are packed once
// and multiplied with all gradients; if there are too few such blocks for all threads, several
// threads divide the points, and their sums are added up at the end.
class PairsOfPoints final : public PreparedConvolution {
public:
    explicit PairsOfPoints(const ConvolutionProblem& problem);

    std::string implementation() const override {
        return fmt::format("strata:direct-chwn:{}", isa_);
    }
    OperandOrders orders() const override { return batch_last::orders; }
    Bytes workspace() const override;
    Operations operations() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    struct Range {
        Index first = 0;
        Index count = 0;
        Index end() const { return first + count; }
    };
    // The points of a block, and the channels of x that they see.
    struct Part {
        Index group = 0;
        Range channels;
        Range rows;
        Range columns;
    };
    struct Memory {
        float* source = nullptr;
        float* gradients = nullptr;
        Index* taps = nullptr;
    };

    Index out(Index points, Index stride, Index kernel, Index dilation) const {
        return (points - 1) * stride + (kernel - 1) * dilation + 1;
    }
    Index patch_rows(Index rows) const {
        return out(rows, g_.stride_height, index_of(g_.kernel_height), g_.dilation_height);
    }
    Index patch_columns(Index columns) const {
        return out(columns, g_.stride_width, index_of(g_.kernel_width), g_.dilation_width);
    }
    Index blocks_of_points() const { return row_blocks_ * column_blocks_; }
    Index source_floats() const {
        return channels_ * patch_rows(rows_) * patch_columns(columns_) * floats_;
    }
    Index strip_floats() const { return kernels_.gradients * rows_ * columns_ * floats_; }
    Index tap_count() const { return channels_ * index_of(g_.taps()); }
    // The places of taps take two floats each.
    Index thread_floats() const {
        return round_up(source_floats(), 16) + round_up(strip_floats(), 16) +
               round_up(2 * tap_count(), 16);
    }
    void run_slice(Index task, const ConvolutionOperands& operands, float* sums,
                   const Memory& memory) const;
    void clear_sums(const Part& part, float* sums) const;
    void add_part(const Part& part, const ConvolutionOperands& operands, float* sums,
                  const Memory& memory) const;
    void place_taps(const Part& part, const Memory& memory) const;
    void pack_source(const Part& part, const float* x, float* to) const;
    void pack_gradients(const Part& part, const float* gradients, Index count, float* to) const;

    ConvolutionProblem problem_;
    Geometry g_;
    const Kernels& kernels_;
    std::string_view isa_;
    Index images_ = 0;
    Index floats_ = 0;  // of the images of a point, padded to vectors
    Index rows_ = 1;
    Index columns_ = 1;
    Index row_blocks_ = 1;
    Index column_blocks_ = 1;
    Index channels_ = 1;
    Index channel_blocks_ = 1;
    Index slices_ = 1;
};

PairsOfPoints::PairsOfPoints(const ConvolutionProblem& problem)
    : problem_(problem),
      g_(geometry_of(problem)),
      kernels_(*widest_kernels().kernels),
      isa_(widest_kernels().isa),
      images_(index_of(g_.images)),
      floats_(round_up(images_, kernels_.lanes)) {
    const Index height = index_of(g_.out_height), width = index_of(g_.out_width);
    columns_ = balanced(width, std::max<Index>(gradient_floats / floats_, 1));
    column_blocks_ = (width + columns_ - 1) / columns_;
    const Index rows = column_blocks_ > 1 ? 1 : gradient_floats / (width * floats_);
    rows_ = balanced(height, std::max<Index>(rows, 1));
    row_blocks_ = (height + rows_ - 1) / rows_;
    const Index each = patch_rows(rows_) * patch_columns(columns_) * floats_;
    channels_ = balanced(index_of(g_.inputs), std::max<Index>(packed_floats / each, 1));
    channel_blocks_ = (index_of(g_.inputs) + channels_ - 1) / channels_;
    const Index tasks = index_of(g_.groups) * channel_blocks_;
    const Index wanted =
        tasks >= 4 * problem.threads ? 1 : (4 * problem.threads + tasks - 1) / tasks;
    const Index affordable =
        std::max<Index>(max_partial_floats / index_of(g_.filter_elements()), 1);
    slices_ = problem.threads == 1 ? 1 : std::min({wanted, affordable, blocks_of_points()});
}

Bytes PairsOfPoints::workspace() const {
    const Index partial = slices_ == 1 ? 0 : slices_ * index_of(g_.filter_elements());
    return {static_cast<double>(round_up(partial, 16) + problem_.threads * thread_floats()) *
            sizeof(float)};
}

Operations PairsOfPoints::operations() const {
    const auto outputs = static_cast<double>(g_.images * g_.groups * g_.outputs * g_.points());
    Operations operations = {.multiply_adds = g_.multiply_adds() / static_cast<double>(images_) *
                                              static_cast<double>(floats_)};
    operations.adds = static_cast<double>(slices_ - 1) * static_cast<double>(g_.filter_elements());
    operations.bias_adds = problem_.bias ? outputs : 0;
    return operations;
}

void PairsOfPoints::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    float* const partial = reinterpret_cast<float*>(workspace);
    const std::size_t all = g_.filter_elements();
    float* const threads = partial + (slices_ == 1 ? 0 : round_up(slices_ * index_of(all), 16));
    const Index tasks = index_of(g_.groups) * channel_blocks_;
#pragma omp parallel num_threads(problem_.threads)
    {
        float* const own = threads + omp_get_thread_num() * thread_floats();
        float* const gradients = own + round_up(source_floats(), 16);
        const Memory memory = {own, gradients,
                               reinterpret_cast<Index*>(gradients + round_up(strip_floats(), 16))};
#pragma omp for schedule(dynamic)
        for (Index i = 0; i < tasks * slices_; ++i) {
            float* sums = slices_ == 1 ? operands.weight : partial + i % slices_ * index_of(all);
            run_slice(i, operands, sums, memory);
        }
    }
    if (slices_ > 1) {
        sum_parts(partial, static_cast<std::size_t>(slices_), all, all, operands.weight);
    }
    if (operands.bias != nullptr) {
        // The elements of a channel are adjacent.
        Dims y = problem_.y;
        y.back() *= y.front();
        y.front() = 1;
        bias_gradient(image_view(operands.y, y, ImageOrder::nchw), operands.bias);
    }
}

void PairsOfPoints::run_slice(Index task, const ConvolutionOperands& operands, float* sums,
                              const Memory& memory) const {
    const Index slice = task % slices_, block = task / slices_ % channel_blocks_;
    Part part = {.group = task / slices_ / channel_blocks_,
                 .channels = {block * channels_, 0},
                 .rows = {},
                 .columns = {}};
    part.channels.count = std::min(channels_, index_of(g_.inputs) - part.channels.first);
    clear_sums(part, sums);
    place_taps(part, memory);
    const Index first = slice * blocks_of_points() / slices_;
    const Index end = (slice + 1) * blocks_of_points() / slices_;
    for (Index i = first; i < end; ++i) {
        const Index row = i / column_blocks_ * rows_, column = i % column_blocks_ * columns_;
        part.rows = {row, std::min(rows_, index_of(g_.out_height) - row)};
        part.columns = {column, std::min(columns_, index_of(g_.out_width) - column)};
        add_part(part, operands, sums, memory);
    }
}

// Clears the sums of this group's weights for these channels of x.
void PairsOfPoints::clear_sums(const Part& part, float* sums) const {
    const Index taps = index_of(g_.taps()), depth = index_of(g_.depth());
    float* first = sums + part.group * index_of(g_.outputs) * depth + part.channels.first * taps;
    for (Index k = 0; k < index_of(g_.outputs); ++k) {
        std::fill_n(first + k * depth, part.channels.count * taps, 0.0F);
    }
}

// Where the packed elements of each channel's taps begin.
void PairsOfPoints::place_taps(const Part& part, const Memory& memory) const {
    Index* to = memory.taps;
    const Index row = patch_columns(columns_) * floats_;
    for (Index c = 0; c < part.channels.count; ++c) {
        for (Index r = 0; r < index_of(g_.kernel_height); ++r) {
            for (Index s = 0; s < index_of(g_.kernel_width); ++s) {
                *to++ = (c * patch_rows(rows_) + r * g_.dilation_height) * row +
                        s * g_.dilation_width * floats_;
            }
        }
    }
}

void PairsOfPoints::add_part(const Part& part, const ConvolutionOperands& operands, float* sums,
                             const Memory& memory) const {
    pack_source(part, operands.x, memory.source);
    const bool in_place = images_ == floats_, is_dense = g_.stride_width == 1;
    const Index plane = index_of(g_.points()) * images_, width = index_of(g_.out_width);
    const Index first = (part.rows.first * width + part.columns.first) * images_;
    PairStrip strip = {.gradient_channel = part.rows.count * part.columns.count * floats_,
                       .gradient_row = part.columns.count * floats_,
                       .source_row = g_.stride_height * patch_columns(columns_) * floats_,
                       .source_point = g_.stride_width * floats_,
                       .rows = part.rows.count,
                       .points = is_dense ? 1 : part.columns.count,
                       .floats = is_dense ? part.columns.count * floats_ : floats_,
                       .sums_channel = index_of(g_.depth())};
    if (in_place) {
        strip.gradient_channel = plane;
        strip.gradient_row = width * images_;
    }
    const Index taps = part.channels.count * index_of(g_.taps());
    for (Index k = 0; k < index_of(g_.outputs); k += kernels_.gradients) {
        const Index all = part.group * index_of(g_.outputs) + k;
        const Index gradients = std::min(kernels_.gradients, index_of(g_.outputs) - k);
        strip.gradients = operands.y + all * plane + first;
        if (!in_place) {
            pack_gradients(part, strip.gradients, gradients, memory.gradients);
            strip.gradients = memory.gradients;
        }
        float* const to =
            sums + all * strip.sums_channel + part.channels.first * index_of(g_.taps());
        for (Index t = 0; t < taps; t += kernels_.taps) {
            const Index count = std::min(kernels_.taps, taps - t);
            strip.source = memory.source;
            strip.taps = memory.taps + t;
            strip.sums = to + t;
            kernels_.pair[gradients - 1][count - 1](strip);
        }
    }
}

void PairsOfPoints::pack_source(const Part& part, const float* x, float* to) const {
    const Index height = index_of(g_.height);
    RowPart packed = {.width = index_of(g_.width),
                      .images = images_,
                      .used = images_,
                      .column = part.columns.first * g_.stride_width - g_.pad_left,
                      .count = patch_columns(part.columns.count),
                      .lanes = floats_};
    const Index row_floats = patch_columns(columns_) * floats_;
    for (Index c = 0; c < part.channels.count; ++c) {
        const Index channel = part.group * index_of(g_.inputs) + part.channels.first + c;
        for (Index r = 0; r < patch_rows(part.rows.count); ++r) {
            const Index row = part.rows.first * g_.stride_height - g_.pad_top + r;
            const bool is_inside = 0 <= row && row < height;
            packed.row =
                is_inside ? x + (channel * height + row) * packed.width * images_ : nullptr;
            pack_row(packed, to + (c * patch_rows(rows_) + r) * row_floats);
        }
    }
}

void PairsOfPoints::pack_gradients(const Part& part, const float* gradients, Index count,
                                   float* to) const {
    const Index width = index_of(g_.out_width);
    for (Index k = 0; k < count; ++k) {
        for (Index r = 0; r < part.rows.count; ++r) {
            pack_row({.row = gradients + (k * index_of(g_.points()) + r * width) * images_,
                      .width = part.columns.count,
                      .images = images_,
                      .used = images_,
                      .count = part.columns.count,
                      .lanes = floats_},
                     to);
            to += part.columns.count * floats_;
        }
    }
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_weights(const ConvolutionProblem& problem) {
    return std::make_unique<PairsOfPoints>(problem);
}

}  // namespace strata::cpu::batch_last
