// SPDX-License-Identifier: MIT
#include "predict/kernel_plan.h"

#include "op/attention.h"
#include "op/picked.h"
#include "op/window.h"
#include "predict/layer_products.h"
#include "predict/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// y[m,n] = a[m,k] b[k,n], `batch` times. Each operand is stored as it is or transposed.
struct MatrixProduct {
    std::int64_t batch, m, n, k;
    bool a_is_transposed, b_is_transposed;
    bool a_is_shared = false, b_is_shared = false;  // one for all of the batch
};

OperandView matrix(std::uint64_t base, std::int64_t rows, std::int64_t columns, bool is_transposed,
                   bool is_shared) {
    return {.view = MatrixView{.base = base,
                               .pitch = bytes_of(columns),
                               .batch_pitch = is_shared ? 0 : bytes_of(rows * columns)},
            .is_transposed = is_transposed};
}

void add_matrix_product(Planner& planner, const std::string& name, const MatrixProduct& p) {
    const std::int64_t a_count = p.a_is_shared ? 1 : p.batch, b_count = p.b_is_shared ? 1 : p.batch;
    const std::uint64_t a = planner.addresses.place_elements(a_count * p.m * p.k);
    const std::uint64_t b = planner.addresses.place_elements(b_count * p.k * p.n);
    const std::uint64_t c = planner.addresses.place_elements(p.batch * p.m * p.n);
    // (Rows of an operand are its outer extent; the sum runs along its columns unless transposed.)
    planner.add_product(name,
                        {.batch = p.batch,
                         .m = p.m,
                         .n = p.n,
                         .k = p.k,
                         .a = p.a_is_transposed ? matrix(a, p.k, p.m, true, p.a_is_shared)
                                                : matrix(a, p.m, p.k, false, p.a_is_shared),
                         .b = p.b_is_transposed ? matrix(b, p.n, p.k, false, p.b_is_shared)
                                                : matrix(b, p.k, p.n, true, p.b_is_shared),
                         .c = matrix(c, p.m, p.n, false, false)},
                        false);
}

void plan(Planner& planner, const FullyConnected& op, const Signature& signature, Pass pass) {
    const std::int64_t out = op.out_features;
    const std::int64_t rows = signature.outputs.at(0).elements() / out;
    const std::int64_t in =
        signature.inputs.at(0).tensor.elements() / std::max<std::int64_t>(1, rows);
    if (pass == Pass::forward) {
        add_matrix_product(planner, "product", {1, rows, out, in, false, true});
    } else if (pass == Pass::backward_data) {
        add_matrix_product(planner, "product", {1, rows, in, out, false, false});
    } else {
        add_matrix_product(planner, "product", {1, out, in, rows, true, false});
    }
}

// Forward, and the gradients of both operands: dy b^T for a, a^T dy for b.
void plan(Planner& planner, const MatMul& op, const Signature& signature, Pass pass) {
    const Dims& y = signature.outputs.at(0).dims;
    const Dims& a = signature.inputs.at(0).tensor.dims;
    const std::int64_t m = y.at(y.size() - 2), n = y.back();
    const std::int64_t k = op.transpose_a ? a.at(a.size() - 2) : a.back();
    const std::int64_t batch = product(y) / std::max<std::int64_t>(1, m * n);
    const bool b_is_shared = signature.inputs.at(1).tensor.dims.size() == 2 && batch > 1;
    const bool a_is_shared = a.size() == 2 && batch > 1;
    if (pass == Pass::forward) {
        add_matrix_product(
            planner, "product",
            {batch, m, n, k, op.transpose_a, op.transpose_b, a_is_shared, b_is_shared});
        return;
    }
    const Role wanted = pass == Pass::backward_weights ? Role::parameter : Role::activation;
    if (signature.inputs[0].role == wanted) {
        add_matrix_product(planner, "product of gradient",
                           {batch, m, k, n, false, !op.transpose_b, false, b_is_shared});
    }
    if (signature.inputs[1].role == wanted) {
        add_matrix_product(planner, "product of gradient",
                           {batch, k, n, m, !op.transpose_a, false, a_is_shared, false});
    }
}

std::uint64_t bytes(const Tensor& tensor) {
    return static_cast<std::uint64_t>(tensor.bytes().value);
}

// Scores and their softmax are written and read.
void plan(Planner& planner, const Attention& op, const Signature& signature, Pass pass) {
    const AttentionExtents e = extents_of(op, signature);
    const std::int64_t batch = e.batch * e.heads;
    const std::uint64_t scores = bytes_of(batch * e.queries * e.keys);
    const auto softmax = [&](int reads) {
        std::vector<StreamRange> streams(static_cast<std::size_t>(reads),
                                         {planner.addresses.place(scores), scores});
        streams.push_back({planner.addresses.place(scores), scores, AccessKind::write});
        planner.add_stream("softmax", std::move(streams),
                           std::max(bytes_of(e.keys), bytes_of(1024)));
    };
    if (pass == Pass::forward) {
        add_matrix_product(planner, "queries by keys",
                           {batch, e.queries, e.keys, e.width, false, true});
        softmax(2);
        add_matrix_product(planner, "scores by values",
                           {batch, e.queries, e.value_width, e.keys, false, false});
        return;
    }
    add_matrix_product(planner, "gradient of values",
                       {batch, e.keys, e.value_width, e.queries, true, false});
    add_matrix_product(planner, "gradient of scores",
                       {batch, e.queries, e.keys, e.value_width, false, true});
    softmax(3);
    add_matrix_product(planner, "gradient of queries",
                       {batch, e.queries, e.width, e.keys, false, false});
    add_matrix_product(planner, "gradient of keys",
                       {batch, e.keys, e.width, e.queries, true, false});
}

// The products of all steps at once; those of single steps as a batch with shared weights, which
// they find in the caches after the step before; and the cells' operations on them. (Blocks of
// neighbouring steps may be simulated side by side; no device runs them so.)
void plan(Planner& planner, const Recurrent& op, const Signature& signature, Pass pass) {
    for (const LayerProduct& product : products_of(op, signature, pass)) {
        const GemmProblem& p = product.problem;
        const bool of_weights = pass == Pass::backward_weights;
        add_matrix_product(planner, of_weights ? "product of gradient" : "product of all steps",
                           {p.batch, p.m, p.n, p.k, of_weights, p.b_is_transposed});
    }
    for (const LayerProduct& product : step_products_of(op, signature, pass)) {
        const GemmProblem& p = product.problem;
        const auto steps = static_cast<std::int64_t>(product.repeats);
        add_matrix_product(planner, "products of steps",
                           {steps, p.m, p.n, p.k, false, p.b_is_transposed, false, true});
        const bool is_forward = pass == Pass::forward;
        const std::uint64_t gates = bytes_of(steps * p.m * (is_forward ? p.n : p.k));
        const std::uint64_t states = bytes_of(steps * p.m * (is_forward ? p.k : p.n));
        std::vector<StreamRange> streams{{planner.addresses.place(gates), gates},
                                         {planner.addresses.place(states), states}};
        streams.push_back(
            is_forward ? StreamRange{planner.addresses.place(states), states, AccessKind::write}
                       : StreamRange{planner.addresses.place(gates), gates, AccessKind::write});
        planner.add_stream("cells", std::move(streams));
    }
}

// Windows over an image; the gradient is a stream.
bool plan_window(Planner& planner, const Pooling& op, const Signature& signature, Pass pass) {
    const Dims& x = signature.inputs.at(0).tensor.dims;
    const Dims& y = signature.outputs.at(0).dims;
    if (pass != Pass::forward || x.size() != 4) {
        return false;
    }
    const Window window = window_of(op, signature.inputs[0].tensor);
    WindowView view =
        pixels(planner.addresses.place(bytes(signature.inputs[0].tensor)), 1, 1, x[2], x[3]);
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
    planner.add_window("windows", {.m = results,
                                   .k = view.kernel_h * view.kernel_w,
                                   .a = {.view = view},
                                   .c = OperandView{.view = MatrixView{.base = base, .pitch = 0},
                                                    .is_transposed = true}});
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
         .c = OperandView{.view = MatrixView{.base = base, .pitch = 0}, .is_transposed = true}});
    return true;
}

// How often a kernel passes over its input: it first sums over a row or a channel.
template <class T>
constexpr int passes_of = 1;
template <>
constexpr int passes_of<Softmax> = 2;
template <>
constexpr int passes_of<SoftmaxCrossEntropy> = 2;
template <>
constexpr int passes_of<LayerNormalization> = 2;
template <>
constexpr int passes_of<GroupNormalization> = 2;
template <>
constexpr int passes_of<BatchNormalization> = 2;

// The operands that a pass reads, once or twice, and writes (op/op.cpp counts the same bytes).
void plan_streams(Planner& planner, const Op& op, const Signature& signature, Pass pass,
                  int passes) {
    const BackwardReads reads = reads_of(op);
    std::vector<StreamRange> read, written;
    const auto add = [&](std::vector<StreamRange>& streams, const Tensor& tensor, AccessKind kind) {
        streams.push_back({planner.addresses.place(bytes(tensor)), bytes(tensor), kind});
    };
    const auto picked = pass == Pass::forward ? picked_operand(op) : std::nullopt;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
        const Operand& input = signature.inputs[i];
        const bool is_parameter = input.role == Role::parameter;
        const bool is_read =
            pass == Pass::forward ||
            (pass == Pass::backward_data && reads.input_for_data && !is_parameter) ||
            (pass == Pass::backward_data && reads.parameters_for_data && is_parameter) ||
            (pass == Pass::backward_weights && reads.input_for_weights && !is_parameter) ||
            (pass == Pass::update && is_parameter);
        const bool is_written =
            (pass == Pass::backward_data && input.role == Role::activation &&
             is_floating(input.tensor.dtype)) ||
            ((pass == Pass::backward_weights || pass == Pass::update) && is_parameter);
        if (is_read && picked == i) {  // as many elements as are copied
            const std::uint64_t size = std::min(bytes(input.tensor), bytes(signature.outputs[0]));
            read.push_back({planner.addresses.place(size), size, AccessKind::read});
        } else if (is_read) {
            add(read, input.tensor, AccessKind::read);
        }
        if (pass == Pass::update && is_parameter) {  // its gradient
            add(read, input.tensor, AccessKind::read);
        }
        if (is_written) {
            add(written, input.tensor, AccessKind::write);
        }
    }
    for (const Tensor& output : signature.outputs) {
        if (pass == Pass::forward) {
            add(written, output, AccessKind::write);
        } else if (pass != Pass::update) {
            add(read, output, AccessKind::read);
            if (pass == Pass::backward_data && reads.output_for_data) {
                add(read, output, AccessKind::read);
            }
        }
    }
    if (pass == Pass::backward_data) {
        const auto saved = static_cast<std::uint64_t>(saved_bytes_of(op, signature).value);
        read.push_back({planner.addresses.place(saved), saved, AccessKind::read});
    }
    std::vector<StreamRange> streams;
    for (int one = 0; one < passes; ++one) {
        streams.insert(streams.end(), read.begin(), read.end());
    }
    streams.insert(streams.end(), written.begin(), written.end());
    planner.add_stream("stream", std::move(streams));
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

std::vector<KernelPlan> plan_kernels(const Op& op, const Signature& signature, Pass pass,
                                     PlannedConvolution convolution,
                                     const DeviceDescription& device, const DeviceRates& rates) {
    if (device.kind != DeviceKind::gpu || !device.processors || !device.lanes ||
        !device.dram_bandwidth || !(device.boost_clock || device.base_clock)) {
        throw Error(fmt::format("'{}' is no GPU with processors, lanes, a clock and a bandwidth",
                                device.name));
    }
    require_f32(signature);
    Planner planner{.device = device, .rates = rates};
    std::visit(
        [&](const auto& one) {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, Opaque>) {
                throw Error(fmt::format("accesses of {} are not known yet", T::type));
            } else if constexpr (std::is_same_v<T, Reshape> || std::is_same_v<T, Identity>) {
                return;
            } else {
                if (pass == Pass::update) {
                    return plan_streams(planner, op, signature, pass, 1);
                }
                if constexpr (std::is_same_v<T, Convolution> ||
                              std::is_same_v<T, TransposedConvolution>) {
                    return plan(planner, one, signature, pass, convolution);
                } else if constexpr (std::is_same_v<T, FullyConnected> ||
                                     std::is_same_v<T, MatMul> || std::is_same_v<T, Attention> ||
                                     std::is_same_v<T, Recurrent>) {
                    return plan(planner, one, signature, pass);
                } else if constexpr (std::is_same_v<T, Pooling> || std::is_same_v<T, Lrn>) {
                    if (plan_window(planner, one, signature, pass)) {
                        return;
                    }
                }
                plan_streams(planner, op, signature, pass, passes_of<T>);
            }
        },
        op);
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
