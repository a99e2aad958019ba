// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last.h"
#include "backend/cpu/convolution/batch_last_taps.h"
#include "backend/cpu/convolution/geometry.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace strata::cpu::batch_last {

namespace {

// Results that see the same taps, computed in strips of `points` results of a row by `channels` of
// the source.
struct Phase {
    AxisTaps rows;
    AxisTaps columns;
    Index weights = 0;  // where its packed weights begin
    Index points = 1;
    Index channels = 1;
    Index width = 0;                               // of the packed source
    std::vector<Index> offsets[max_vectors] = {};  // of columns' taps there, by number of vectors

    Index taps() const { return rows.size() * columns.size(); }
};

// Images that fill one or two vectors, possibly with a partial last one.
struct ImageBlock {
    Index first = 0;
    Index count = 0;
    Index vectors = 1;
};

struct Planes {
    Index channels = 0;  // of a group
    Index height = 0;
    Index width = 0;
};

// The packed source takes about half of a core's own cache.
constexpr Index source_floats = 48 * 1024;
// Keeps the weights of a strip in the nearest cache.
constexpr Index max_depth = 768;
constexpr Index max_points = 16;

// The forward pass, or that for the data: sums over the taps that reach a result.
class SumsOfTaps final : public PreparedConvolution {
public:
    explicit SumsOfTaps(const ConvolutionProblem& problem);

    std::string implementation() const override {
        return fmt::format("strata:direct-chwn:{}", isa_);
    }
    OperandOrders orders() const override { return batch_last::orders; }
    Bytes workspace() const override;
    Operations operations() const override;
    KeptWeights kept_weights() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // A part of a row of results, of some of a group's channels.
    struct Part {
        Index group = 0;
        Index block = 0;
        Index row = 0;
        Index first_point = 0;
        Index points = 0;
        Index first_result = 0;
        Index results = 0;
    };
    struct Memory {
        const float* weights = nullptr;
        float* source = nullptr;
        float* strip = nullptr;  // for results of images that do not fill vectors
    };

    void plan(Phase& phase) const;
    void pack_weights(const float* weights, float* packed) const;
    void pack_tile(const Phase& phase, Index group, Index first, const float* weights,
                   float* packed) const;
    void run_phase(const Phase& phase, const ConvolutionOperands& operands, const float* weights,
                   float* memory) const;
    void run_part(const Phase& phase, const Part& part, const ConvolutionOperands& operands,
                  const Memory& memory) const;
    void pack_source(const Phase& phase, const Part& part, const float* source, Index channel,
                     Index channels, Index first_row, Index rows, float* to) const;
    void run_strip(const Part& part, const float* addend, float* results, Index at, SumStrip strip,
                   float* memory) const;

    Index lanes_of(const ImageBlock& block) const { return block.vectors * kernels_.lanes; }
    Index packed_floats() const { return index_of(g_.filter_elements()); }
    Index strip_floats() const { return max_points * kernels_.results * 2 * kernels_.lanes; }
    Index thread_floats() const { return patch_floats_ + strip_floats(); }

    ConvolutionProblem problem_;
    Geometry g_;
    const Kernels& kernels_;
    std::string_view isa_;
    bool is_forward_;
    Index images_;
    Planes from_, to_;
    std::vector<ImageBlock> blocks_;
    std::vector<Phase> phases_;
    Index patch_floats_ = 0;
};

std::vector<ImageBlock> blocks_of(Index images, Index lanes) {
    std::vector<ImageBlock> blocks;
    for (Index first = 0; first < images; first += 2 * lanes) {
        const Index count = std::min(2 * lanes, images - first);
        blocks.push_back({first, count, count > lanes ? Index{2} : Index{1}});
    }
    return blocks;
}

SumsOfTaps::SumsOfTaps(const ConvolutionProblem& problem)
    : problem_(problem),
      g_(geometry_of(problem)),
      kernels_(*widest_kernels().kernels),
      isa_(widest_kernels().isa),
      is_forward_(problem.pass == Pass::forward),
      images_(index_of(g_.images)),
      from_{index_of(g_.inputs), index_of(g_.height), index_of(g_.width)},
      to_{index_of(g_.outputs), index_of(g_.out_height), index_of(g_.out_width)},
      blocks_(blocks_of(images_, kernels_.lanes)) {
    const auto taps = is_forward_ ? forward_taps : data_taps;
    if (!is_forward_) {
        std::swap(from_, to_);
    }
    Index weights = 0;
    for (const AxisTaps& rows : taps(rows_of(g_))) {
        for (const AxisTaps& columns : taps(columns_of(g_))) {
            Phase& phase = phases_.emplace_back();
            phase.rows = rows;
            phase.columns = columns;
            phase.weights = weights;
            weights += index_of(g_.groups) * to_.channels * from_.channels * phase.taps();
            plan(phase);
            patch_floats_ = std::max(patch_floats_, phase.channels * rows.size() * phase.width *
                                                        lanes_of(blocks_.front()));
        }
    }
    patch_floats_ = round_up(patch_floats_, 16);
}

void SumsOfTaps::plan(Phase& phase) const {
    const Index lanes = lanes_of(blocks_.front()), rows = phase.rows.size();
    phase.points = balanced(phase.columns.count, max_points);
    if (phase.taps() == 0) {
        return;
    }
    const AxisTaps& columns = phase.columns;
    phase.width = (phase.points - 1) * columns.scale + columns.span();
    const Index each = rows * phase.width * lanes;
    const Index fitting = std::min(source_floats / each, max_depth / phase.taps());
    phase.channels = balanced(from_.channels, std::max<Index>(fitting, 1));
    for (Index vectors = 1; vectors <= index_of(max_vectors); ++vectors) {
        for (const Index offset : columns.offsets) {
            phase.offsets[vectors - 1].push_back((offset - columns.min()) * vectors *
                                                 kernels_.lanes);
        }
    }
}

Bytes SumsOfTaps::workspace() const {
    const Index packed = problem_.constant_weights ? 0 : round_up(packed_floats(), 16);
    return {static_cast<double>(packed + problem_.threads * thread_floats()) * sizeof(float)};
}

Operations SumsOfTaps::operations() const {
    Operations operations;
    double images = 0;
    for (const ImageBlock& block : blocks_) {
        images += static_cast<double>(lanes_of(block));
    }
    for (const Phase& phase : phases_) {
        operations.multiply_adds += static_cast<double>(phase.rows.count * phase.columns.count) *
                                    static_cast<double>(phase.taps());
    }
    operations.multiply_adds *= images * static_cast<double>(g_.groups * g_.inputs * g_.outputs);
    const auto outputs = static_cast<double>(g_.images * g_.groups * g_.outputs * g_.points());
    operations.bias_adds = problem_.bias && is_forward_ ? outputs : 0;
    operations.adds = problem_.sum && is_forward_ ? outputs : 0;
    operations.compares = problem_.relu && is_forward_ ? outputs : 0;
    return operations;
}

KeptWeights SumsOfTaps::kept_weights() const {
    if (!problem_.constant_weights) {
        return {};
    }
    return {.bytes = {static_cast<double>(packed_floats()) * sizeof(float)},
            .make = [this](const float* weights, float* kept, std::byte*) {
                pack_weights(weights, kept);
            }};
}

// Channels of results in tiles, [channel of the source][row][column][result] in each.
void SumsOfTaps::pack_weights(const float* weights, float* packed) const {
    const Index tiles = (to_.channels + kernels_.results - 1) / kernels_.results;
    for (const Phase& phase : phases_) {
#pragma omp parallel for schedule(static) num_threads(problem_.threads)
        for (Index at = 0; at < index_of(g_.groups) * tiles; ++at) {
            pack_tile(phase, at / tiles, at % tiles * kernels_.results, weights,
                      packed + phase.weights);
        }
    }
}

void SumsOfTaps::pack_tile(const Phase& phase, Index group, Index first, const float* weights,
                           float* packed) const {
    const Index taps = index_of(g_.taps()), inputs = index_of(g_.inputs);
    const Index results = std::min(kernels_.results, to_.channels - first);
    const Index of_result = is_forward_ ? inputs * taps : taps;
    const Index of_source = is_forward_ ? taps : inputs * taps;
    const float* from = weights + group * index_of(g_.outputs) * inputs * taps + first * of_result;
    float* to = packed + (group * to_.channels + first) * from_.channels * phase.taps();
    for (Index c = 0; c < from_.channels; ++c) {
        for (const Index row : phase.rows.taps) {
            for (const Index column : phase.columns.taps) {
                const float* tap = from + c * of_source + row * index_of(g_.kernel_width) + column;
                for (Index k = 0; k < results; ++k) {
                    *to++ = tap[k * of_result];
                }
            }
        }
    }
}

void SumsOfTaps::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    float* memory = reinterpret_cast<float*>(workspace);
    const float* weights = operands.weight;
    if (!problem_.constant_weights) {
        pack_weights(operands.weight, memory);
        weights = memory;
        memory += round_up(packed_floats(), 16);
    }
    for (const Phase& phase : phases_) {
        run_phase(phase, operands, weights + phase.weights, memory);
    }
}

void SumsOfTaps::run_phase(const Phase& phase, const ConvolutionOperands& operands,
                           const float* weights, float* memory) const {
    const Index strips = (phase.columns.count + phase.points - 1) / phase.points;
    const Index blocks = index_of(blocks_.size());
    const Index places = index_of(g_.groups) * blocks * phase.rows.count * strips;
    // Few places are also divided by channels of results.
    const Index shares = (3 * problem_.threads + places - 1) / places;
    const Index tiles = (to_.channels + kernels_.results - 1) / kernels_.results;
    const Index results = balanced(tiles, (tiles + shares - 1) / shares) * kernels_.results;
    const Index parts = (to_.channels + results - 1) / results;
#pragma omp parallel num_threads(problem_.threads)
    {
        float* const own = memory + omp_get_thread_num() * thread_floats();
        const Memory at = {weights, own, own + patch_floats_};
#pragma omp for schedule(dynamic)
        for (Index i = 0; i < places * parts; ++i) {
            Index rest = i;
            const auto next = [&](Index count) {
                const Index value = rest % count;
                rest /= count;
                return value;
            };
            Part part;
            part.first_result = next(parts) * results;
            part.results = std::min(results, to_.channels - part.first_result);
            part.first_point = next(strips) * phase.points;
            part.points = std::min(phase.points, phase.columns.count - part.first_point);
            part.row = next(phase.rows.count);
            part.block = next(blocks);
            part.group = rest;
            run_part(phase, part, operands, at);
        }
    }
}

void SumsOfTaps::run_part(const Phase& phase, const Part& part, const ConvolutionOperands& operands,
                          const Memory& memory) const {
    const ImageBlock& block = blocks_[static_cast<std::size_t>(part.block)];
    const Index lanes = lanes_of(block);
    // The rows inside are adjacent.
    const auto is_inside = [&](Index offset) {
        const Index row = part.row * phase.rows.scale + offset;
        return 0 <= row && row < from_.height;
    };
    const auto& offsets = phase.rows.offsets;
    const auto inside = std::ranges::find_if(offsets, is_inside);
    const Index first_row = inside - offsets.begin();
    const Index rows =
        phase.columns.size() == 0 ? 0 : std::count_if(inside, offsets.end(), is_inside);
    const Index channels = rows == 0 ? from_.channels : phase.channels;
    const float* source = is_forward_ ? operands.x : operands.y;
    float* results = is_forward_ ? operands.y : operands.x;
    SumStrip strip = {.source = memory.source,
                      .source_channel = rows * phase.width * lanes,
                      .source_row = phase.width * lanes,
                      .source_point = phase.columns.scale * lanes,
                      .columns = phase.offsets[block.vectors - 1].data(),
                      .rows = rows,
                      .taps = phase.columns.size(),
                      .points = part.points,
                      .result_channel = to_.height * to_.width * images_,
                      .result_point = phase.columns.step * images_};
    for (Index c = 0; c < from_.channels; c += channels) {
        strip.channels = rows == 0 ? 0 : std::min(channels, from_.channels - c);
        strip.adds = c > 0;
        strip.relu = problem_.relu && is_forward_ && c + channels >= from_.channels;
        pack_source(phase, part, source, c, strip.channels, first_row, rows, memory.source);
        for (Index k = 0; k < part.results; k += kernels_.results) {
            const Index result = part.first_result + k, all = part.group * to_.channels + result;
            const Index count = std::min(kernels_.results, part.results - k);
            strip.weight_row = phase.columns.size() * count;
            strip.weight_channel = phase.rows.size() * strip.weight_row;
            strip.weights = memory.weights + all * from_.channels * phase.taps() +
                            c * strip.weight_channel + first_row * strip.weight_row;
            strip.bias = operands.bias == nullptr || !is_forward_ ? nullptr : operands.bias + all;
            const Index row = phase.rows.first + part.row * phase.rows.step;
            const Index column = phase.columns.first + part.first_point * phase.columns.step;
            const Index at =
                ((all * to_.height + row) * to_.width + column) * images_ + block.first;
            Part tile = part;
            tile.results = count;
            run_strip(tile, is_forward_ ? operands.addend : nullptr, results, at, strip,
                      memory.strip);
        }
    }
}

void SumsOfTaps::pack_source(const Phase& phase, const Part& part, const float* source,
                             Index channel, Index channels, Index first_row, Index rows,
                             float* to) const {
    const ImageBlock& block = blocks_[static_cast<std::size_t>(part.block)];
    if (channels == 0) {
        return;
    }
    RowPart packed = {.width = from_.width,
                      .images = images_,
                      .first = block.first,
                      .used = block.count,
                      .column = part.first_point * phase.columns.scale + phase.columns.min(),
                      .count = (part.points - 1) * phase.columns.scale + phase.columns.span(),
                      .lanes = lanes_of(block)};
    for (Index c = 0; c < channels; ++c) {
        const Index plane = (part.group * from_.channels + channel + c) * from_.height;
        for (Index r = 0; r < rows; ++r, to += phase.width * packed.lanes) {
            const Index row = part.row * phase.rows.scale +
                              phase.rows.offsets[static_cast<std::size_t>(first_row + r)];
            packed.row = source + (plane + row) * from_.width * images_;
            pack_row(packed, to);
        }
    }
}

// Copies the images of a strip between their place and whole vectors.
void copy_strip(const SumStrip& strip, Index results, Index images, Index lanes, const float* from,
                float* to, bool to_vectors) {
    for (Index k = 0; k < results; ++k) {
        for (Index p = 0; p < strip.points; ++p) {
            const Index outside = k * strip.result_channel + p * strip.result_point;
            const Index packed = (k * strip.points + p) * lanes;
            std::copy_n(from + (to_vectors ? outside : packed), images,
                        to + (to_vectors ? packed : outside));
        }
    }
}

void SumsOfTaps::run_strip(const Part& part, const float* addend, float* results, Index at,
                           SumStrip strip, float* memory) const {
    const ImageBlock& block = blocks_[static_cast<std::size_t>(part.block)];
    const Index lanes = lanes_of(block);
    const SumKernel kernel = kernels_.sum[part.results - 1][block.vectors - 1];
    strip.addend = addend == nullptr ? nullptr : addend + at;
    strip.results = results + at;
    if (block.count == lanes) {
        return kernel(strip);
    }
    SumStrip whole = strip;
    whole.results = memory;
    whole.result_channel = strip.points * lanes;
    whole.result_point = lanes;
    const float* begun = strip.adds ? strip.results : strip.addend;
    if (begun != nullptr) {
        std::fill_n(memory, part.results * strip.points * lanes, 0.0F);
        copy_strip(strip, part.results, block.count, lanes, begun, memory, true);
    }
    whole.addend = strip.addend == nullptr ? nullptr : memory;
    kernel(whole);
    copy_strip(strip, part.results, block.count, lanes, memory, strip.results, false);
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_sums(const ConvolutionProblem& problem) {
    return std::make_unique<SumsOfTaps>(problem);
}

}  // namespace strata::cpu::batch_last
