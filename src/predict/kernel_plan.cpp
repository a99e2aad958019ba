// SPDX-License-Identifier: MIT
#include "predict/kernel_plan.h"

#include "op/moved.h"
#include "op/window.h"
#include "predict/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

OperandView matrix(std::uint64_t base, std::int64_t rows, std::int64_t columns, bool is_transposed,
                   bool is_shared) {
    return {.view = MatrixView{.base = base,
                               .pitch = bytes_of(columns),
                               .batch_pitch = is_shared ? 0 : bytes_of(rows * columns)},
            .is_transposed = is_transposed};
}

void add_matrix_product(Planner& planner, const LayerProduct& product, const GemmKernel& kernel) {
    const GemmProblem& p = product.problem;
    const std::int64_t a_count = product.shares_a ? 1 : p.batch;
    const std::int64_t b_count = product.shares_b ? 1 : p.batch;
    const std::uint64_t a = planner.addresses.place_elements(a_count * p.m * p.k);
    const std::uint64_t b = planner.addresses.place_elements(b_count * p.k * p.n);
    const std::uint64_t c = planner.addresses.place_elements(p.batch * p.m * p.n);
    // (Rows of an operand are its outer extent; the sum runs along its columns unless transposed.)
    planner.add_product(product.name,
                        {.batch = p.batch,
                         .m = p.m,
                         .n = p.n,
                         .k = p.k,
                         .a = p.a_is_transposed ? matrix(a, p.k, p.m, true, product.shares_a)
                                                : matrix(a, p.m, p.k, false, product.shares_a),
                         .b = p.b_is_transposed ? matrix(b, p.n, p.k, false, product.shares_b)
                                                : matrix(b, p.k, p.n, true, product.shares_b),
                         .c = matrix(c, p.m, p.n, false, false)},
                        kernel, false);
}

void plan(Planner& planner, const LayerProduct& product) {
    if (!product.algorithm.empty()) {
        throw Error("convolutions of volumes cannot be simulated yet");
    }
    const PlannedTiles& tiles = *planner.predicted.tiles;
    add_matrix_product(planner, product,
                       {.tile_n = tiles.tile_n,
                        .tile_m = tiles.tile_m,
                        .warps = tiles.warps,
                        .splits = tiles.splits});
}

void plan(Planner&, const AttentionProblem&) {
    throw Error("fused attention cannot be simulated yet");
}

// The products of the steps as a batch with shared weights, which they find in the caches after the
// step before, and the cells' operations on them. (Blocks of neighbouring steps may be simulated
// side by side; no device runs them so. The operations belong to the prediction's launches.)
void plan(Planner& planner, const RecurrentProblem& sequence) {
    const bool is_forward = sequence.pass == RecurrentPass::forward;
    const auto wide = static_cast<std::int64_t>(sequence.gates()) * sequence.hidden;
    const LayerProduct steps{.problem = {.batch = sequence.steps,
                                         .m = sequence.batch,
                                         .n = is_forward ? wide : sequence.hidden,
                                         .k = is_forward ? sequence.hidden : wide,
                                         .b_is_transposed = is_forward},
                             .shares_b = true,
                             .name = "products of steps"};
    add_matrix_product(planner, steps, kernel_by_priors(steps.problem, planner.device));
    const std::int64_t rows = sequence.steps * sequence.batch;
    const std::uint64_t gates = bytes_of(rows * wide), states = bytes_of(rows * sequence.hidden);
    const std::uint64_t written = is_forward ? states : gates;
    std::vector<StreamRange> streams{{planner.addresses.place(gates), gates},
                                     {planner.addresses.place(states), states}};
    streams.push_back({planner.addresses.place(written), written, AccessKind::write});
    planner.add_stream("cells", std::move(streams), {});
}

// Windows over an image; the gradient is a stream.
bool plan_window(Planner& planner, const Pooling& op, const Signature& signature, Pass pass) {
    const Dims& x = signature.inputs.at(0).tensor.dims;
    const Dims& y = signature.outputs.at(0).dims;
    if (pass != Pass::forward || x.size() != 4) {
        return false;
    }
    const Window window = window_of(op, signature.inputs[0].tensor);
    WindowView view = pixels(planner.addresses.place_elements(product(x)), 1, 1, x[2], x[3]);
    view.positions_h = y[2];
    view.positions_w = y[3];
    view.kernel_h = window.kernel[0];
    view.kernel_w = window.kernel[1];
    view.stride_h = window.stride[0];
    view.stride_w = window.stride[1];
    view.pad_h = window.pad_begin[0];
    view.pad_w = window.pad_begin[1];
    view.dilation_h = window.dilation[0];
    view.dilation_w = window.dilation[1];
    const std::int64_t results = product(y);
    const std::uint64_t base = planner.addresses.place_elements(results);
    planner.add_window(
        "windows",
        {.m = results,
         .k = view.kernel_h * view.kernel_w,
         .a = {.view = view},
         .c = OperandView{.view = MatrixView{.base = base, .pitch = 0}, .is_transposed = true}},
        planner.predicted.on_device());
    return true;
}

// A window over channels (here rows) and pixels (their columns).
bool plan_window(Planner& planner, const Lrn& op, const Signature& signature, Pass pass) {
    const Dims& x = signature.inputs.at(0).tensor.dims;
    if (pass != Pass::forward || x.size() < 2) {
        return false;
    }
    const std::int64_t elements = product(x), columns = elements / (x[0] * x[1]);
    WindowView view = pixels(planner.addresses.place_elements(elements), 1, 1, x[1], columns);
    view.kernel_h = op.size;
    view.pad_h = op.size / 2;
    const std::uint64_t base = planner.addresses.place_elements(elements);
    planner.add_window(
        "windows over channels",
        {.m = elements,
         .k = op.size,
         .a = {.view = view},
         .c = OperandView{.view = MatrixView{.base = base, .pitch = 0}, .is_transposed = true}},
        planner.predicted.on_device());
    return true;
}

// How often a kernel passes over what it reads: it first sums over a row or a channel.
int passes_of(const Op& op) {
    return std::holds_alternative<Softmax>(op) || std::holds_alternative<SoftmaxCrossEntropy>(op) ||
                   std::holds_alternative<LayerNormalization>(op) ||
                   std::holds_alternative<GroupNormalization>(op) ||
                   std::holds_alternative<BatchNormalization>(op)
               ? 2
               : 1;
}

void add_streams(Planner& planner, std::string_view name, const std::vector<Moved>& moved,
                 int passes, std::uint64_t block_bytes) {
    std::vector<StreamRange> read, written, streams;
    for (const Moved& one : moved) {
        const auto bytes = static_cast<std::uint64_t>(one.bytes.value);
        (one.is_written ? written : read)
            .push_back({planner.addresses.place(bytes), bytes,
                        one.is_written ? AccessKind::write : AccessKind::read});
    }
    for (int one = 0; one < passes; ++one) {
        streams.insert(streams.end(), read.begin(), read.end());
    }
    streams.insert(streams.end(), written.begin(), written.end());
    planner.add_stream(name, std::move(streams), planner.predicted.on_device(), block_bytes);
}

void plan(Planner& planner, const LayerTask& task, const LayerStream& stream) {
    constexpr std::uint64_t usual_block = 4096;
    const KernelPrediction& predicted = planner.predicted;
    if (!stream.moves_operands) {
        add_streams(planner, predicted.name,
                    {{predicted.dram_traffic - stream.written}, {stream.written, true}},
                    stream.columns > 0 ? 2 : 1, std::max(bytes_of(stream.columns), usual_block));
        return;
    }
    const auto* const pooling = std::get_if<Pooling>(&task.op);
    const auto* const lrn = std::get_if<Lrn>(&task.op);
    if ((pooling != nullptr && plan_window(planner, *pooling, task.signature, task.pass)) ||
        (lrn != nullptr && plan_window(planner, *lrn, task.signature, task.pass))) {
        return;
    }
    add_streams(
        planner, "stream",
        moved_by(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer)),
        task.pass == Pass::update ? 1 : passes_of(task.op), usual_block);
}

void require_f32(const Signature& signature) {
    for (const Operand& input : signature.inputs) {
        if (is_floating(input.tensor.dtype) && input.tensor.dtype != DataType::f32) {
            throw Error(fmt::format("{} cannot be simulated yet, only f32 can",
                                    name_of(input.tensor.dtype)));
        }
    }
}

}  // namespace

std::vector<KernelPlan> plan_kernel(const LayerTask& task, const KernelPrediction& predicted,
                                    const DeviceDescription& device) {
    if (device.kind != DeviceKind::gpu || !device.processors || !device.lanes ||
        !device.dram_bandwidth || !(device.boost_clock || device.base_clock)) {
        throw Error(fmt::format("'{}' is no GPU with processors, lanes, a clock and a bandwidth",
                                device.name));
    }
    require_f32(task.signature);
    Planner planner{.device = device, .predicted = predicted};
    std::visit(
        [&]<class T>(const T& work) {
            if constexpr (std::is_same_v<T, LayerStream>) {
                plan(planner, task, work);
            } else {
                plan(planner, work);
            }
        },
        predicted.work);
    return std::move(planner.kernels);
}

bool bypasses_l1(const DeviceDescription& device) {
    return device.architecture == "kepler";
}

GpuMemory memory_of(const DeviceDescription& device, const KernelPlan& kernel, bool bypass_l1) {
    constexpr std::array split = {"kepler", "maxwell", "pascal"};
    constexpr int ways = 16;
    const auto shape = [](Bytes capacity) {
        return CacheShape{static_cast<std::size_t>(capacity.value) / line_bytes, ways};
    };
    constexpr double most_processors = 65536;
    if (device.processors->value.value > most_processors) {
        throw Error(fmt::format("{} has more processors than can be simulated, {}", device.name,
                                most_processors));
    }
    if (!device.l2) {
        throw Error(fmt::format("{} states no L2 cache", device.name));
    }
    GpuMemory memory{.processors = static_cast<std::uint32_t>(device.processors->value.value),
                     .resident_blocks = kernel.resident_blocks,
                     .l1 = {},
                     .l2 = shape(device.l2->value)};
    if (!bypass_l1) {
        if (!device.l1) {
            throw Error(fmt::format("{} states no L1 cache: give --bypass-l1", device.name));
        }
        Bytes l1 = device.l1->value;
        if (std::ranges::find(split, device.architecture) == split.end()) {
            l1 -= kernel.shared_memory * kernel.resident_blocks;
        }
        const Bytes smallest{static_cast<double>(ways * line_bytes)};
        memory.l1 = shape(std::max(l1, smallest));
    }
    return memory;
}

}  // namespace strata
