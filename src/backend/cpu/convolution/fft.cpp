// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft.h"

#include "backend/cpu/convolution/complex_product.h"
#include "backend/cpu/convolution/epilogue.h"
#include "backend/cpu/convolution/fft_filters.h"
#include "backend/cpu/convolution/fft_tiles.h"
#include "backend/cpu/convolution/tile_sizes.h"
#include "backend/lower/program.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::cpu {

namespace {

constexpr std::size_t lanes = fft_lanes;

constexpr float no_lower_bound = -std::numeric_limits<float>::infinity();

// An odd number of cache lines, so that the same element of consecutive frequencies does not fall
// into the same cache set.
std::size_t odd_lines(std::size_t floats) {
    const std::size_t lines = quotient_up(floats, lanes);
    return (lines + (lines % 2 == 0 ? 1 : 0)) * lanes;
}

// What the pass transforms and multiplies. `left` and `right` are the factors' images; in the
// forward and backward-data passes the right factor is the filters.
struct Plan {
    TileGrid left_tiles;    // of the left images
    TileGrid other_tiles;   // of the results, or of y's gradient in the pass for the weights
    std::size_t tiles = 0;  // of all images
    std::size_t chunk = 0;  // tiles processed at a time, an even number
    std::size_t sources = 0;
    std::size_t results = 0;
};

// The elements of a plane that one transform covers: all results and what they see.
TileGrid grid_of(std::size_t rows, std::size_t columns, const FftExtents& step,
                 const FftExtents& extent, std::ptrdiff_t lead_height, std::ptrdiff_t lead_width) {
    return {quotient_up(rows, step.height),
            quotient_up(columns, step.width),
            step,
            extent,
            lead_height,
            lead_width};
}

// Enough rows for efficient products; spectra of about 32 MB, if that allows enough rows.
std::size_t chunk_of(std::size_t tiles, std::size_t channels, const FftExtents& extents) {
    const std::size_t each = 2 * extents.frequencies() * channels * sizeof(float);
    const std::size_t fit = std::max<std::size_t>(32, (std::size_t{32} << 20U) / each);
    return round_up(std::min(fit, tiles), 2);
}

Plan plan_of(const Geometry& g, Pass pass, const FftExtents& extents) {
    const FftExtents step = {extents.height - g.kernel_height + 1,
                             extents.width - g.kernel_width + 1};
    Plan plan;
    const bool is_to_data = pass == Pass::backward_data;
    const std::size_t rows = is_to_data ? g.height : g.out_height;
    const std::size_t columns = is_to_data ? g.width : g.out_width;
    const auto turned = [](std::size_t kernel, std::ptrdiff_t pad) {
        return static_cast<std::ptrdiff_t>(kernel) - 1 - pad;
    };
    plan.left_tiles = grid_of(rows, columns, step, extents,
                              is_to_data ? turned(g.kernel_height, g.pad_top) : g.pad_top,
                              is_to_data ? turned(g.kernel_width, g.pad_left) : g.pad_left);
    plan.other_tiles = grid_of(rows, columns, step, step, 0, 0);
    plan.tiles = g.images * plan.left_tiles.tiles();
    plan.sources = is_to_data ? g.outputs : g.inputs;
    plan.results = is_to_data ? g.inputs : g.outputs;
    plan.chunk = chunk_of(plan.tiles, round_up(plan.sources, lanes) + round_up(plan.results, lanes),
                          extents);
    return plan;
}

// Arithmetic of transforms and products for a choice of tile: a transform of n elements takes about
// 2.5 n log2 n operations, at a fourth of the rate of products.
double cost_of(const Geometry& g, Pass pass, const FftExtents& extents) {
    const Plan plan = plan_of(g, pass, extents);
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    const double transform =
        4 * 2.5 * count(extents.elements()) * std::log2(count(extents.elements()));
    const double images = count(plan.tiles) * count(plan.sources + plan.results);
    const double products = 6 * count(extents.frequencies()) * count(plan.tiles) *
                            count(plan.sources) * count(plan.results);
    return (images + count(plan.sources) * count(plan.results)) * transform + products;
}

// NaN stays NaN.
STRATA_EACH_ISA void finish_lanes(const float* bias, float lower_bound, std::size_t elements,
                                  float* part) {
    for (std::size_t i = 0; i < elements; ++i, part += lanes) {
#pragma GCC ivdep
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float sum = part[lane] + bias[lane];
            part[lane] = lower_bound > sum ? lower_bound : sum;
        }
    }
}

STRATA_EACH_ISA void add_lanes(const float* addend, std::size_t floats, float* part) {
    for (std::size_t i = 0; i < floats; ++i) {
        part[i] += addend[i];
    }
}

class FftConvolution final : public PreparedConvolution {
public:
    FftConvolution(std::string_view name, const ConvolutionProblem& problem,
                   const OperandOrders& preferred, const FftExtents& extents);

    std::string implementation() const override { return implementation_; }
    OperandOrders orders() const override { return orders_; }
    Bytes workspace() const override {
        const std::size_t floats =
            threads_at() + static_cast<std::size_t>(problem_.threads) * thread_floats_;
        return {static_cast<double>(floats * sizeof(float))};
    }
    Operations operations() const override;
    KeptWeights kept_weights() const override;
    void run(const ConvolutionOperands& operands, std::byte* workspace) const override;

private:
    // Tiles [first, first + count) of a group; `rows` is count, rounded up to pairs.
    struct Chunk {
        std::size_t group = 0;
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t rows = 0;
    };
    struct Memory {
        float* left = nullptr;
        float* right = nullptr;
        float* result = nullptr;
        float* threads = nullptr;
    };

    // The start of the threads' memory in the workspace. Kept spectra are elsewhere.
    std::size_t threads_at() const {
        return left_floats_ + (keeps_filters() ? 0 : right_floats_) + result_floats_;
    }
    bool keeps_filters() const {
        return problem_.constant_weights && problem_.pass == Pass::forward;
    }
    bool is_to_weights() const { return problem_.pass == Pass::backward_weights; }
    // The rows of a tile with results, and those with filters.
    std::size_t result_rows() const { return plan_.other_tiles.extent.height; }
    TileRows filter_rows() const {
        return {extents_.height - g_.kernel_height + 1, g_.kernel_height};
    }
    bool has_relu() const { return problem_.relu && problem_.pass == Pass::forward; }
    // Rows, columns and depth of the products of a chunk.
    ProductExtents product_of(std::size_t rows) const {
        return is_to_weights() ? ProductExtents{even_sources_, padded_results_, rows}
                               : ProductExtents{rows, padded_results_, even_sources_};
    }
    template <class Body>
    void for_pairs(std::size_t pairs, std::size_t channels, const Memory& memory,
                   Body&& body) const;
    void load_both(const ImageView& view, const TileGrid& grid, const Chunk& chunk,
                   std::size_t pair, ChannelRange channels, float* tile) const;
    // The rows of the right matrix with these columns.
    SpectrumRows right_rows(const Memory& memory, std::size_t row, std::size_t column,
                            std::size_t depth) const;

    void transform_filters(std::size_t group, const float* filters, const Memory& memory) const;
    void transform_left(const ImageView& view, const Chunk& chunk, const Memory& memory) const;
    void transform_gradient(const ImageView& dy, const Chunk& chunk, const Memory& memory) const;
    void multiply(const Chunk& chunk, const Memory& memory) const;
    void store_results(const ImageView& view, const Chunk& chunk, const Finish& finish,
                       const Memory& memory) const;
    void store_gradients(std::size_t group, float* filters, const Memory& memory) const;
    void run_group(std::size_t group, const ConvolutionOperands& operands,
                   const Memory& memory) const;

    ConvolutionProblem problem_;
    Geometry g_;
    OperandOrders orders_;
    FftExtents extents_;
    const FftPlan& transform_;
    Plan plan_;
    std::string implementation_;
    std::size_t padded_sources_;
    std::size_t padded_results_;
    std::size_t even_sources_;
    std::size_t right_plane_;
    std::size_t left_step_;
    std::size_t right_step_;
    std::size_t result_step_;
    std::size_t left_floats_;
    std::size_t right_floats_;
    std::size_t result_floats_;
    std::size_t thread_floats_;
};

FftConvolution::FftConvolution(std::string_view name, const ConvolutionProblem& problem,
                               const OperandOrders& preferred, const FftExtents& extents)
    : problem_(problem),
      g_(geometry_of(problem)),
      orders_{preferred.x, FilterOrder::oihw, preferred.y},
      extents_(extents),
      transform_(FftPlan::of(extents)),
      plan_(plan_of(g_, problem.pass, extents)),
      implementation_(
          fmt::format("strata:{}-{}x{}:{}", name, extents.height, extents.width, product_isa())),
      padded_sources_(round_up(plan_.sources, lanes)),
      padded_results_(round_up(plan_.results, lanes)),
      even_sources_(round_up(plan_.sources, 2)) {
    const ProductExtents product = product_of(plan_.chunk);
    right_plane_ = right_plane_floats(product.depth, product.columns);
    left_step_ = odd_lines(2 * plan_.chunk * padded_sources_);
    right_step_ = odd_lines(3 * right_plane_);
    result_step_ = odd_lines(2 * product.rows * product.columns);
    left_floats_ = extents.frequencies() * left_step_;
    right_floats_ = extents.frequencies() * right_step_;
    result_floats_ = extents.frequencies() * result_step_;
    const std::size_t addend_floats = problem.sum ? extents.part_floats() : 0;
    thread_floats_ =
        odd_lines(extents.floats() + std::max(complex_scratch_floats(product), addend_floats));
}

// Each transform covers two tiles or filters in 16 lanes, whether all are needed or not.
Operations FftConvolution::operations() const {
    const auto count = [](std::size_t value) { return static_cast<double>(value); };
    const std::size_t pairs = quotient_up(plan_.tiles, 2);
    const std::size_t filter_pairs = even_sources_ / 2 * (padded_results_ / lanes);
    Operations sum;
    const auto add = [&](std::size_t transforms, std::size_t rows) {
        Operations each = transform_.operations(rows);
        sum += each *= count(transforms);
    };
    add(pairs * padded_sources_ / lanes, extents_.height);
    add(pairs * padded_results_ / lanes, result_rows());
    add(keeps_filters() ? 0 : filter_pairs, g_.kernel_height);
    Operations products;
    for (std::size_t first = 0; first < plan_.tiles; first += plan_.chunk) {
        const std::size_t rows = round_up(std::min(plan_.chunk, plan_.tiles - first), 2);
        products += complex_product_operations(
            product_of(rows), is_to_weights() && first > 0 ? Into::add : Into::overwrite);
    }
    // Two for each element of a right matrix, and four for each of a pair of filters.
    const std::size_t right = is_to_weights() ? 2 * pairs : even_sources_;
    products.adds +=
        keeps_filters() ? 0 : count(2 * right * padded_results_ + 4 * filter_pairs * lanes);
    products *= count(extents_.frequencies());
    sum += products;
    sum *= count(g_.groups);
    const auto outputs = count(g_.images * g_.groups * g_.outputs * g_.points());
    sum.adds += problem_.sum && problem_.pass == Pass::forward ? outputs : 0;
    sum.bias_adds = problem_.bias && problem_.pass != Pass::backward_data ? outputs : 0;
    sum.compares = has_relu() ? outputs : 0;
    return sum;
}

// Calls body(pair, first channel, tile of this thread) for all pairs of a chunk's tiles and blocks
// of 16 channels.
template <class Body>
void FftConvolution::for_pairs(std::size_t pairs, std::size_t channels, const Memory& memory,
                               Body&& body) const {
    const std::size_t blocks = quotient_up(channels, lanes);
#pragma omp parallel for schedule(static) num_threads(problem_.threads)
    for (std::size_t i = 0; i < pairs * blocks; ++i) {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        body(i / blocks, i % blocks * lanes, memory.threads + thread * thread_floats_);
    }
}

void FftConvolution::load_both(const ImageView& view, const TileGrid& grid, const Chunk& chunk,
                               std::size_t pair, ChannelRange channels, float* tile) const {
    const std::size_t part = extents_.part_floats();
    load_tile(view, grid, {chunk.first + 2 * pair, channels}, extents_, tile);
    if (2 * pair + 1 < chunk.count) {
        load_tile(view, grid, {chunk.first + 2 * pair + 1, channels}, extents_, tile + part);
    } else {
        std::fill_n(tile + part, part, 0.0F);
    }
}

SpectrumRows FftConvolution::right_rows(const Memory& memory, std::size_t row, std::size_t column,
                                        std::size_t depth) const {
    const std::size_t width = right_panel_columns();
    return {memory.right + column / width * width * depth + row * width + column % width, width,
            right_plane_, right_step_};
}

void FftConvolution::transform_filters(std::size_t group, const float* filters,
                                       const Memory& memory) const {
    const FilterRole role =
        problem_.pass == Pass::forward ? FilterRole::forward : FilterRole::backward_data;
    const float scale = 1.0F / static_cast<float>(extents_.elements());
    const float* own = filters + group * g_.outputs * g_.depth();
    for_pairs(even_sources_ / 2, plan_.results, memory,
              [&](std::size_t pair, std::size_t first, float* tile) {
                  const std::size_t count = std::min(lanes, plan_.results - first);
                  for (std::size_t i = 0; i < 2; ++i) {
                      const std::size_t source = 2 * pair + i;
                      load_filters(g_, own, role,
                                   {source, first, source < plan_.sources ? count : 0}, extents_,
                                   scale, tile + i * extents_.part_floats());
                  }
                  transform_.forward(tile, filter_rows());
                  store_separate_right(tile, extents_,
                                       right_rows(memory, 2 * pair, first, even_sources_));
              });
}

void FftConvolution::transform_left(const ImageView& view, const Chunk& chunk,
                                    const Memory& memory) const {
    for_pairs(chunk.rows / 2, plan_.sources, memory,
              [&](std::size_t pair, std::size_t first, float* tile) {
                  const ChannelRange channels = {chunk.group * plan_.sources + first,
                                                 std::min(lanes, plan_.sources - first)};
                  load_both(view, plan_.left_tiles, chunk, pair, channels, tile);
                  transform_.forward(tile, {0, extents_.height});
                  store_pair(tile, extents_,
                             {memory.left + 2 * pair * padded_sources_ + first, padded_sources_,
                              chunk.rows * padded_sources_, left_step_});
              });
}

void FftConvolution::transform_gradient(const ImageView& dy, const Chunk& chunk,
                                        const Memory& memory) const {
    for_pairs(chunk.rows / 2, plan_.results, memory,
              [&](std::size_t pair, std::size_t first, float* tile) {
                  const ChannelRange channels = {chunk.group * plan_.results + first,
                                                 std::min(lanes, plan_.results - first)};
                  load_both(dy, plan_.other_tiles, chunk, pair, channels, tile);
                  transform_.forward(tile, {0, result_rows()});
                  store_conjugate_right_pair(tile, extents_,
                                             right_rows(memory, 2 * pair, first, chunk.rows));
              });
}

void FftConvolution::multiply(const Chunk& chunk, const Memory& memory) const {
    const ProductExtents product = product_of(chunk.rows);
    const std::size_t plane = chunk.rows * padded_sources_;
    const std::size_t result_plane = product.rows * product.columns;
    const Into into = is_to_weights() && chunk.first > 0 ? Into::add : Into::overwrite;
#pragma omp parallel for schedule(static) num_threads(problem_.threads)
    for (std::size_t f = 0; f < extents_.frequencies(); ++f) {
        const float* left = memory.left + f * left_step_;
        float* result = memory.result + f * result_step_;
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        const std::size_t row = is_to_weights() ? 1 : padded_sources_;
        complex_product(product, {left, left + plane, row, is_to_weights() ? padded_sources_ : 1},
                        {memory.right + f * right_step_, right_plane_},
                        {result, result + result_plane, product.columns}, into,
                        memory.threads + thread * thread_floats_ + extents_.floats());
    }
}

void FftConvolution::store_results(const ImageView& view, const Chunk& chunk, const Finish& finish,
                                   const Memory& memory) const {
    const std::size_t part = extents_.part_floats();
    ImageView addend = view;
    addend.data = finish.addend;
    for_pairs(chunk.rows / 2, plan_.results, memory,
              [&](std::size_t pair, std::size_t first, float* tile) {
                  const ChannelRange channels = {chunk.group * plan_.results + first,
                                                 std::min(lanes, plan_.results - first)};
                  load_pair({memory.result + 2 * pair * padded_results_ + first, padded_results_,
                             chunk.rows * padded_results_, result_step_},
                            extents_, tile);
                  transform_.backward(tile, {0, result_rows()});
                  float biases[lanes] = {};
                  if (finish.bias != nullptr) {
                      std::copy_n(finish.bias + channels.first, channels.count, biases);
                  }
                  for (std::size_t i = 0; i < 2 && 2 * pair + i < chunk.count; ++i) {
                      const ImageTile to = {chunk.first + 2 * pair + i, channels};
                      float* results = tile + i * part;
                      if (finish.addend != nullptr) {
                          float* added = tile + 2 * part;
                          load_tile(addend, plan_.other_tiles, to, extents_, added);
                          add_lanes(added, part, results);
                      }
                      if (finish.bias != nullptr || finish.relu) {
                          finish_lanes(biases, finish.relu ? 0.0F : no_lower_bound, part / lanes,
                                       results);
                      }
                      store_tile(view, plan_.other_tiles, to, extents_, results);
                  }
              });
}

// The sum of a pair's two rows is twice the spectrum.
void FftConvolution::store_gradients(std::size_t group, float* filters,
                                     const Memory& memory) const {
    const std::size_t part = extents_.part_floats();
    const float scale = 0.5F / static_cast<float>(extents_.elements());
    float* own = filters + group * g_.outputs * g_.depth();
    for_pairs(even_sources_ / 2, plan_.results, memory,
              [&](std::size_t pair, std::size_t first, float* tile) {
                  load_separate({memory.result + 2 * pair * padded_results_ + first,
                                 padded_results_, even_sources_ * padded_results_, result_step_},
                                extents_, tile);
                  transform_.backward(tile, {0, g_.kernel_height});
                  const std::size_t count = std::min(lanes, plan_.results - first);
                  for (std::size_t i = 0; i < 2 && 2 * pair + i < plan_.sources; ++i) {
                      store_filters(g_, {2 * pair + i, first, count}, extents_, scale,
                                    tile + i * part, own);
                  }
              });
}

void FftConvolution::run_group(std::size_t group, const ConvolutionOperands& operands,
                               const Memory& memory) const {
    const ImageView x = image_view(operands.x, problem_.x, orders_.x);
    const ImageView y = image_view(operands.y, problem_.y, orders_.y);
    if (!is_to_weights() && !keeps_filters()) {
        transform_filters(group, operands.weight, memory);
    }
    const Finish finish = problem_.pass == Pass::forward
                              ? Finish{operands.bias, operands.addend, problem_.relu}
                              : Finish{};
    for (std::size_t first = 0; first < plan_.tiles; first += plan_.chunk) {
        const std::size_t count = std::min(plan_.chunk, plan_.tiles - first);
        const Chunk chunk = {group, first, count, round_up(count, 2)};
        const bool is_to_data = problem_.pass == Pass::backward_data;
        transform_left(is_to_data ? y : x, chunk, memory);
        if (is_to_weights()) {
            transform_gradient(y, chunk, memory);
        }
        multiply(chunk, memory);
        if (!is_to_weights()) {
            store_results(is_to_data ? x : y, chunk, finish, memory);
        }
    }
    if (is_to_weights()) {
        store_gradients(group, operands.weight, memory);
    }
}

KeptWeights FftConvolution::kept_weights() const {
    if (!keeps_filters()) {
        return {};
    }
    return {{static_cast<double>(sizeof(float) * g_.groups * right_floats_)},
            [this](const float* weight, float* kept, std::byte* workspace) {
                Memory memory = {.threads = reinterpret_cast<float*>(workspace) + threads_at()};
                for (std::size_t group = 0; group < g_.groups; ++group) {
                    memory.right = kept + group * right_floats_;
                    transform_filters(group, weight, memory);
                }
            }};
}

void FftConvolution::run(const ConvolutionOperands& operands, std::byte* workspace) const {
    auto* floats = reinterpret_cast<float*>(workspace);
    Memory memory = {floats, floats + left_floats_ + result_floats_, floats + left_floats_,
                     floats + threads_at()};
    for (std::size_t group = 0; group < g_.groups; ++group) {
        if (keeps_filters()) {
            memory.right = operands.weight + group * right_floats_;
        }
        run_group(group, operands, memory);
    }
    if (problem_.pass == Pass::forward) {
        clear_filling(image_view(operands.y, problem_.y, orders_.y));
    } else if (problem_.pass == Pass::backward_data) {
        clear_filling(image_view(operands.x, problem_.x, orders_.x));
    } else if (operands.bias != nullptr) {
        bias_gradient(image_view(operands.y, problem_.y, orders_.y), operands.bias);
    }
}

}  // namespace

std::unique_ptr<PreparedConvolution> prepare_fft(const ConvolutionProblem& problem,
                                                 const OperandOrders& preferred) {
    const Geometry g = geometry_of(problem);
    require_unit_steps(g, "an FFT");
    const bool is_to_data = problem.pass == Pass::backward_data;
    const auto size = [](std::size_t results, std::size_t kernel) {
        return fast_fft_size(results + kernel - 1);
    };
    return std::make_unique<FftConvolution>(
        "fft", problem, preferred,
        FftExtents{size(is_to_data ? g.height : g.out_height, g.kernel_height),
                   size(is_to_data ? g.width : g.out_width, g.kernel_width)});
}

std::unique_ptr<PreparedConvolution> prepare_fft_tiled(const ConvolutionProblem& problem,
                                                       const OperandOrders& preferred) {
    const Geometry g = geometry_of(problem);
    require_unit_steps(g, "an FFT");
    const std::size_t kernel = std::max(g.kernel_height, g.kernel_width);
    if (kernel > 32) {
        throw Refusal{fmt::format("filters of {}x{}: tiles have 32x32 elements at most",
                                  g.kernel_height, g.kernel_width)};
    }
    const FftExtents small = {16, 16}, large = {32, 32};
    const bool takes_small =
        kernel <= 16 && cost_of(g, problem.pass, small) <= cost_of(g, problem.pass, large);
    return std::make_unique<FftConvolution>("fft-tiled", problem, preferred,
                                            takes_small ? small : large);
}

}  // namespace strata::cpu
