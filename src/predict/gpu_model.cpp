// SPDX-License-Identifier: MIT
#include "predict/gpu_model.h"

#include "op/attention_extents.h"
#include "predict/layer_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace strata {

namespace {

// So many different products are remembered with their kernels: some megabytes.
constexpr std::size_t most_plans = 16384;
constexpr double flops_per_product_step = 2;
constexpr std::int64_t longest_short_row = 1024;

struct Plan {
    GemmKernel kernel;
    GemmPrediction prediction;
};

struct PlanKey {
    std::array<std::int64_t, 4> extents;
    bool b_is_transposed;

    bool operator==(const PlanKey&) const = default;
};

struct PlanHash {
    std::size_t operator()(const PlanKey& key) const {
        std::uint64_t hash = key.b_is_transposed ? 0x9E3779B97F4A7C15U : 0;
        for (const std::int64_t extent : key.extents) {
            hash = (hash ^ static_cast<std::uint64_t>(extent)) * 0xFF51AFD7ED558CCDU;
            hash ^= hash >> 32U;
        }
        return hash;
    }
};

// Rows that an operator reduces, and by which rates.
struct StreamKind {
    RateClass rates = RateClass::add;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

StreamKind rows_kind(RateClass of_short, RateClass of_long, std::int64_t elements,
                     std::int64_t columns) {
    const std::int64_t width = std::max<std::int64_t>(columns, 1);
    return {width <= longest_short_row ? of_short : of_long, elements / width, width};
}

RateClass rates_for(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::relu:
        case ActivationKind::leaky_relu:
        case ActivationKind::clip:
        case ActivationKind::hard_sigmoid:
        case ActivationKind::thresholded_relu:
            return RateClass::relu;
        case ActivationKind::gelu:
        case ActivationKind::gelu_tanh:
        case ActivationKind::silu:
        case ActivationKind::hard_swish:
        case ActivationKind::mish:
            return RateClass::gelu;
        default:
            return RateClass::tanh;
    }
}

RateClass rates_for(ElementwiseKind kind) {
    switch (kind) {
        case ElementwiseKind::multiply:
            return RateClass::multiply;
        case ElementwiseKind::divide:
        case ElementwiseKind::remainder:
            return RateClass::divide;
        case ElementwiseKind::power:
            return RateClass::power;
        default:
            return RateClass::add;
    }
}

// By the operator, for every pass but the update.
StreamKind stream_kind(const Op& op, const Signature& signature) {
    const Dims& x = signature.inputs.front().tensor.dims;
    const std::int64_t elements = product(x);
    if (const auto* activation = std::get_if<Activation>(&op)) {
        return {rates_for(activation->kind)};
    }
    if (const auto* elementwise = std::get_if<Elementwise>(&op)) {
        return {rates_for(elementwise->kind)};
    }
    if (std::holds_alternative<Unary>(op)) {
        return {RateClass::tanh};
    }
    const auto axis_of = [&](std::int64_t axis) {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(x.size())
                                                 : axis);
    };
    if (const auto* softmax = std::get_if<Softmax>(&op)) {
        return rows_kind(RateClass::short_softmax, RateClass::long_softmax, elements,
                         x[axis_of(softmax->axis)]);
    }
    if (std::holds_alternative<SoftmaxCrossEntropy>(op) && x.size() > 1) {
        return rows_kind(RateClass::short_softmax, RateClass::long_softmax, elements, x[1]);
    }
    if (const auto* layer = std::get_if<LayerNormalization>(&op)) {
        return rows_kind(RateClass::short_norm, RateClass::long_norm, elements,
                         product(std::span(x).subspan(axis_of(layer->axis))));
    }
    if (const auto* group = std::get_if<GroupNormalization>(&op)) {
        const std::int64_t groups = group->groups == 0 ? x[1] : group->groups;
        return rows_kind(RateClass::short_norm, RateClass::long_norm, elements,
                         elements / std::max<std::int64_t>(x[0] * groups, 1));
    }
    return {};
}

// A tile that no library's kernel is known for has only its extents for a name.
std::string shown_name(const GemmKernel& kernel) {
    const bool is_tile =
        !kernel.name.empty() && kernel.name.front() >= '0' && kernel.name.front() <= '9';
    return (is_tile ? "sgemm_" : "") + kernel.name;
}

bool is_free(const LayerTask& task) {
    const bool is_idle_dropout =
        std::holds_alternative<Dropout>(task.op) && task.execution.numerics.mode == Mode::inference;
    return task.pass != Pass::update &&
           (is_idle_dropout || std::holds_alternative<Reshape>(task.op) ||
            std::holds_alternative<Identity>(task.op));
}

bool reads_statistics_first(const LayerTask& task) {
    return task.pass == Pass::forward && (std::holds_alternative<GroupNormalization>(task.op) ||
                                          (std::holds_alternative<BatchNormalization>(task.op) &&
                                           task.execution.numerics.mode == Mode::training));
}

bool adds_bias(const Op& op) {
    const auto* fully_connected = std::get_if<FullyConnected>(&op);
    const auto* convolution = std::get_if<Convolution>(&op);
    const auto* transposed = std::get_if<TransposedConvolution>(&op);
    return (fully_connected != nullptr && fully_connected->bias) ||
           (convolution != nullptr && convolution->bias) ||
           (transposed != nullptr && transposed->bias);
}

// Predicts the kernels of one pass, one after another.
class PassKernels {
public:
    PassKernels(const Gpu& gpu, Kernels& kernels) : gpu_(gpu), kernels_(kernels) {}

    void add_stream(std::string name, const StreamKind& kind, Bytes traffic, double repeats = 1) {
        const StreamingRates& alone = gpu_.rates.stream(kind.rates);
        const bool is_queued = !kernels_.empty() || repeats > 1;
        const StreamingPrediction found = predict_streaming(
            Stream{.traffic = traffic, .rows = kind.rows, .columns = kind.columns}, gpu_.device,
            is_queued ? queued(alone, gpu_.rates.gap) : alone);
        KernelPrediction kernel{.name = std::move(name), .rates = kind.rates};
        kernel.dram_traffic = traffic;
        kernel.l2_traffic = traffic;
        kernel.terms[Term::dram] = found.dram;
        kernel.terms[Term::latency] = found.latency;
        add(std::move(kernel), found.time, found.launch, repeats);
    }

    void add_product(const LayerProduct& product, const Plan& plan, Bytes scratch) {
        const GemmProblem& problem = product.problem;
        const GemmPrediction& found = plan.prediction;
        const double depth = std::ceil(static_cast<double>(problem.k) / plan.kernel.splits / 8) * 8;
        const double area = static_cast<double>(plan.kernel.tile_n) * plan.kernel.tile_m;
        const double edges = plan.kernel.tile_n + plan.kernel.tile_m;
        KernelPrediction kernel{.name = shown_name(plan.kernel),
                                .algorithm = std::string(product.algorithm),
                                .rates = product.rates()};
        kernel.terms[Term::arithmetic] = found.arithmetic;
        kernel.terms[Term::latency] = found.latency;
        kernel.terms[Term::l2] = found.l2;
        kernel.terms[Term::dram] = found.dram;
        kernel.terms[Term::split] = found.split;
        kernel.flops = Flops{flops_per_product_step * found.blocks * area * depth};
        kernel.l2_traffic = Bytes{found.blocks * edges * depth * problem.element_bytes};
        kernel.dram_traffic = found.dram_traffic;
        kernel.workspace = scratch;
        kernel.tiles = PlannedTiles{.batch = problem.batch,
                                    .m = problem.m,
                                    .n = problem.n,
                                    .k = problem.k,
                                    .b_is_transposed = problem.b_is_transposed,
                                    .tile_m = plan.kernel.tile_m,
                                    .tile_n = plan.kernel.tile_n,
                                    .splits = plan.kernel.splits,
                                    .blocks = found.blocks,
                                    .rounds = found.rounds};
        add(std::move(kernel), found.time, found.launch, product.repeats);
    }

private:
    // `time` is that of one, with its launch.
    void add(KernelPrediction kernel, Seconds time, Seconds launch, double repeats) {
        const Seconds queued = std::min(launch, gpu_.rates.gap);
        const Seconds first = kernels_.empty() ? launch : queued;
        kernel.repeats = repeats;
        for (Seconds& term : kernel.terms.values) {
            term *= repeats;
        }
        kernel.terms[Term::launch] = first + (repeats - 1) * queued;
        kernel.time = kernel.terms[Term::launch] + repeats * (time - launch);
        kernel.flops *= repeats;
        kernel.dram_traffic *= repeats;
        if (kernel.l2_traffic) {
            *kernel.l2_traffic *= repeats;
        }
        kernels_.push_back(std::move(kernel));
    }

    const Gpu& gpu_;
    Kernels& kernels_;
};

class GpuModel final : public DeviceModel {
public:
    explicit GpuModel(Gpu gpu) : gpu_(std::move(gpu)) {}

    const DeviceDescription& device() const override { return gpu_.device; }

    RateSource source_of(RateClass rates) const override {
        return gpu_.rates.sources[static_cast<std::size_t>(rates)];
    }

    std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const override {
        Gpu other = gpu_;
        scale(other, resource, factor);
        return std::make_unique<GpuModel>(std::move(other));
    }

    LayerPrediction predict(const LayerTask& task) const override {
        if (std::holds_alternative<Opaque>(task.op)) {
            return NoModel{"an opaque operator has no model"};
        }
        if (is_free(task)) {
            return Kernels{};
        }
        if (task.pass != Pass::update) {
            const auto products = products_of_op(task);
            if (products && task.signature.inputs.front().tensor.dtype != DataType::f32) {
                return NoModel{
                    fmt::format("products in {} cannot be predicted yet: use --dtype f32",
                                name_of(task.signature.inputs.front().tensor.dtype))};
            }
            if (products) {
                return with_products(task, *products);
            }
        }
        return streamed(task);
    }

    std::vector<Alternative> alternatives_to(const KernelPrediction& kernel) const override {
        if (!kernel.tiles) {
            return {};
        }
        const PlannedTiles& t = *kernel.tiles;
        const ProductRates& product = gpu_.rates.product(kernel.rates);
        std::vector<Alternative> all;
        for (const GemmKernel& candidate : product.candidates) {
            const GemmProblem problem{t.batch, t.m, t.n, t.k, t.b_is_transposed};
            const GemmKernel best =
                planned_kernel(problem, std::span(&candidate, 1), gpu_.device, product.rates);
            all.push_back({shown_name(best), best.splits,
                           predict_gemm(problem, best, gpu_.device, product.rates).time});
        }
        std::ranges::sort(all, {}, &Alternative::time);
        return all;
    }

private:
    // Nothing for an operator that needs none.
    static std::optional<std::vector<LayerProduct>> products_of_op(const LayerTask& task) {
        return std::visit(
            [&]<class T>(const T& op) -> std::optional<std::vector<LayerProduct>> {
                if constexpr (requires { products_of(op, task.signature, task.pass); }) {
                    return products_of(op, task.signature, task.pass);
                } else {
                    return std::nullopt;
                }
            },
            task.op);
    }

    const Plan& plan_for(const GemmProblem& problem, RateClass rates) const {
        const PlanKey key{{problem.batch, problem.m, problem.n, problem.k},
                          problem.b_is_transposed};
        if (const auto found = plans_.find(key); found != plans_.end()) {
            return found->second;
        }
        if (plans_.size() >= most_plans) {
            plans_.clear();
        }
        const ProductRates& product = gpu_.rates.product(rates);
        const GemmKernel kernel =
            planned_kernel(problem, product.candidates, gpu_.device, product.rates);
        const GemmPrediction prediction = predict_gemm(problem, kernel, gpu_.device, product.rates);
        return plans_.emplace(key, Plan{kernel, prediction}).first->second;
    }

    Kernels with_products(const LayerTask& task, const std::vector<LayerProduct>& products) const {
        Kernels kernels;
        PassKernels pass(gpu_, kernels);
        for (const LayerProduct& product : products) {
            const Plan& plan = plan_for(product.problem, product.rates());
            const bool is_split = plan.kernel.splits > 1;
            const GemmProblem& p = product.problem;
            pass.add_product(
                product, plan,
                Bytes{is_split ? plan.kernel.splits * static_cast<double>(p.batch * p.m) *
                                     static_cast<double>(p.n) * p.element_bytes
                               : 0});
            if (const auto* attention = std::get_if<Attention>(&task.op);
                attention != nullptr && kernels.size() == 1) {
                add_scores(*attention, task, pass);
            }
        }
        add_bias(task, pass);
        if (const auto* recurrent = std::get_if<Recurrent>(&task.op)) {
            add_cells(*recurrent, task, pass);
        }
        return kernels;
    }

    // A separate addition reads and writes the result; the bias's gradient is the sum of the
    // result's.
    static void add_bias(const LayerTask& task, PassKernels& pass) {
        if (!adds_bias(task.op)) {
            return;
        }
        const Bytes result = task.signature.outputs.front().bytes();
        if (task.pass == Pass::backward_weights) {
            pass.add_stream("bias_gradient", {RateClass::add}, result);
        } else if (task.pass == Pass::forward && !std::holds_alternative<FullyConnected>(task.op) &&
                   task.execution.engine.bias == BiasAddition::separate) {
            pass.add_stream("bias", {RateClass::add}, 2 * result);
        }
    }

    // The softmax between the products, which reads and writes the scores, backward two of them.
    static void add_scores(const Attention& op, const LayerTask& task, PassKernels& pass) {
        const AttentionExtents x = extents_of(op, task.signature);
        const std::int64_t scores = x.batch * x.heads * x.queries * x.keys;
        const double streams = task.pass == Pass::forward ? 2 : 3;
        pass.add_stream(
            "softmax", rows_kind(RateClass::short_softmax, RateClass::long_softmax, scores, x.keys),
            Bytes{streams * static_cast<double>(scores) * 4});
    }

    // The cell's functions, once in every step: gates and state in, state out.
    static void add_cells(const Recurrent& op, const LayerTask& task, PassKernels& pass) {
        if (task.pass == Pass::backward_weights) {
            return;
        }
        const Dims& x = task.signature.inputs.front().tensor.dims;
        const double directions = op.direction == Direction::bidirectional ? 2 : 1;
        const double state = static_cast<double>(x[1] * op.hidden) * 4;
        pass.add_stream("cell", {RateClass::tanh}, Bytes{state * (gates_of(op.cell) + 2)},
                        static_cast<double>(x[0] * op.layers) * directions);
    }

    Kernels streamed(const LayerTask& task) const {
        const bool is_update = task.pass == Pass::update;
        const Work work =
            work_of(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer));
        Bytes traffic = work.traffic();
        if (reads_statistics_first(task)) {
            traffic += task.signature.inputs.front().tensor.bytes();
        }
        Kernels kernels;
        if (traffic > Bytes{}) {
            PassKernels(gpu_, kernels)
                .add_stream(is_update ? "update" : kind_of(task.op),
                            is_update ? StreamKind{} : stream_kind(task.op, task.signature),
                            traffic);
        }
        return kernels;
    }

    Gpu gpu_;
    mutable std::unordered_map<PlanKey, Plan, PlanHash> plans_;
};

}  // namespace

std::unique_ptr<DeviceModel> gpu_model(Gpu gpu) {
    return std::make_unique<GpuModel>(std::move(gpu));
}

}  // namespace strata
