// SPDX-License-Identifier: MIT
#include "predict/gpu_model.h"

#include "base/error.h"
#include "graph/executed.h"
#include "op/attention.h"
#include "predict/layer_products.h"
#include "predict/layer_streams.h"
#include "predict/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace strata {

namespace {

// The limit on remembered problems with their kernels: some megabytes.
constexpr std::size_t most_plans = 16384;
constexpr double flops_per_product_step = 2;

struct ConvolutionPlan {
    ConvolutionPrediction prediction;
    RateClass rates;
};

RateClass class_of(const ConvolutionProblem& problem) {
    const RateClass forward = problem.arithmetic == Arithmetic::f32 ? RateClass::convolution_forward
                              : problem.arithmetic == Arithmetic::tf32
                                  ? RateClass::tf32_convolution_forward
                                  : RateClass::low_precision_convolution_forward;
    return class_after(forward, static_cast<std::size_t>(problem.pass));
}

ConvolutionProblem in_lanes(ConvolutionProblem problem) {
    problem.arithmetic = Arithmetic::f32;
    return problem;
}

// The key of a plan: a problem's numbers and the class of its rates.
template <std::size_t count>
struct PlanKey {
    std::array<std::int64_t, count> numbers;
    RateClass rates;

    bool operator==(const PlanKey&) const = default;
};

struct PlanHash {
    template <std::size_t count>
    std::size_t operator()(const PlanKey<count>& key) const {
        std::uint64_t hash = 0x9E3779B97F4A7C15U * (static_cast<std::uint64_t>(key.rates) + 1);
        for (const std::int64_t number : key.numbers) {
            hash = (hash ^ static_cast<std::uint64_t>(number)) * 0xFF51AFD7ED558CCDU;
            hash ^= hash >> 32U;
        }
        return hash;
    }
};

template <std::size_t count, class Value>
using Plans = std::unordered_map<PlanKey<count>, Value, PlanHash>;

// The remembered plan, or else the result of `make`.
template <class Map, class Key, class Make>
const typename Map::mapped_type& remembered(Map& plans, const Key& key, Make&& make) {
    if (const auto found = plans.find(key); found != plans.end()) {
        return found->second;
    }
    if (plans.size() >= most_plans) {
        plans.clear();
    }
    return plans.emplace(key, make()).first->second;
}

PlanKey<7> key_of(const GemmProblem& p, RateClass rates) {
    return {{p.batch, p.m, p.n, p.k, p.b_is_transposed ? 1 : 0,
             static_cast<std::int64_t>(p.arithmetic), p.load_bytes},
            rates};
}

PlanKey<16> key_of(const ConvolutionProblem& p, ConvolutionAlgorithm algorithm, RateClass rates) {
    return {{p.n, p.c, p.h, p.w, p.k, p.r, p.s, p.pad_h, p.pad_w, p.stride_h, p.stride_w,
             p.dilation_h, p.dilation_w, p.groups, static_cast<std::int64_t>(algorithm),
             static_cast<std::int64_t>(p.arithmetic)},
            rates};
}

// A tile without a known library kernel has only its extents as a name.
std::string shown_name(const GemmKernel& kernel, RateClass rates) {
    const bool is_tile =
        !kernel.name.empty() && kernel.name.front() >= '0' && kernel.name.front() <= '9';
    const char* const precision = rates == RateClass::low_precision ? "gemm_16bit_"
                                  : rates == RateClass::tf32        ? "gemm_tf32_"
                                  : rates == RateClass::fp8         ? "gemm_fp8_"
                                  : rates == RateClass::int8        ? "gemm_int8_"
                                                                    : "sgemm_";
    return (is_tile ? precision : "") + kernel.name;
}

// The library's name of our algorithm; nothing if the library chooses.
std::optional<LibraryAlgorithm> library_algorithm(ConvolutionAlgorithm algorithm) {
    switch (algorithm) {
        case ConvolutionAlgorithm::gemm:
            return LibraryAlgorithm::explicit_gemm;
        case ConvolutionAlgorithm::implicit_gemm:
            return LibraryAlgorithm::precomputed_gemm;
        case ConvolutionAlgorithm::winograd_2x2_3x3:
            return LibraryAlgorithm::fused_winograd;
        case ConvolutionAlgorithm::winograd:
        case ConvolutionAlgorithm::winograd_4x4_3x3:
            return LibraryAlgorithm::winograd_3x3;
        case ConvolutionAlgorithm::winograd_4x4_5x5:
            return LibraryAlgorithm::winograd_5x5;
        case ConvolutionAlgorithm::fft:
            return LibraryAlgorithm::fft;
        case ConvolutionAlgorithm::fft_tiled:
            return LibraryAlgorithm::tiled_fft;
        default:
            return {};
    }
}

// The kernels that can run the requested algorithm: all of the library's if it chooses or lacks the
// algorithm. (Gradients of images with few channels have special kernels, which count as products.)
std::vector<ConvolutionKernel> kernels_for(const ConvolutionProblem& problem,
                                           ConvolutionAlgorithm asked,
                                           const DeviceDescription& device, double library) {
    std::optional<ConvolutionKernel> pinned;
    if (const auto algorithm = library_algorithm(asked)) {
        pinned = ConvolutionKernel{.algorithm = *algorithm};
    }
    std::vector<ConvolutionKernel> found = candidate_kernels(problem, device, library, pinned);
    if (asked == ConvolutionAlgorithm::implicit_gemm) {
        std::ranges::copy_if(
            candidate_kernels(problem, device, library), std::back_inserter(found),
            [](const auto& kernel) { return kernel.algorithm == LibraryAlgorithm::direct; });
    }
    return found;
}

// Our name of the library's algorithm.
std::string_view our_name(LibraryAlgorithm algorithm) {
    constexpr std::array names = {ConvolutionAlgorithm::implicit_gemm,
                                  ConvolutionAlgorithm::implicit_gemm,
                                  ConvolutionAlgorithm::gemm,
                                  ConvolutionAlgorithm::winograd_2x2_3x3,
                                  ConvolutionAlgorithm::winograd_4x4_3x3,
                                  ConvolutionAlgorithm::winograd_4x4_5x5,
                                  ConvolutionAlgorithm::fft,
                                  ConvolutionAlgorithm::fft_tiled,
                                  ConvolutionAlgorithm::direct};
    return name_of(names[static_cast<std::size_t>(algorithm)]);
}

// "Winograd 3x3, 128x64".
std::string shown_name(const ConvolutionKernel& kernel) {
    const std::string_view name = name_of(kernel.algorithm);
    return kernel.tile_m > 0 ? fmt::format("{}, {}x{}", name, kernel.tile_m, kernel.tile_n)
                             : std::string(name);
}

// Predicts the kernels of one pass, in sequence.
class PassKernels {
public:
    PassKernels(const Gpu& gpu, Kernels& kernels, Pass pass, DataType dtype = DataType::f32)
        : gpu_(gpu), kernels_(kernels), pass_(pass), is_narrow_(size_in_bytes(dtype) <= 2) {}

    void add_stream(std::string name, const StreamKind& kind, Bytes traffic,
                    LayerStream work = {}) {
        work.columns = kind.columns;
        const StreamingRates& alone = gpu_.rates.stream(kind.rates);
        const StreamingPrediction found = stream(kind, traffic);
        KernelPrediction kernel{.name = std::move(name), .rates = kind.rates, .work = work};
        kernel.dram_traffic = traffic;
        kernel.l2_traffic = traffic;
        kernel.terms[Term::dram] = found.dram;
        kernel.terms[Term::latency] = found.latency;
        add(std::move(kernel), found.time, found.launch, 1, alone.launch);
    }

    // Narrows a product's inputs: for as long as in measured products, else by what it moves.
    void add_narrowing(const Tensor& data, DataType narrow) {
        const Seconds measured =
            narrow == DataType::s8 ? gpu_.rates.narrowing_for_int8 : gpu_.rates.narrowing_for_fp8;
        const Bytes moved = data.bytes() + Bytes{values_of(data)};
        if (measured == Seconds{}) {
            add_stream("narrow", {RateClass::add}, moved, {.moves_operands = false});
            return;
        }
        KernelPrediction kernel{.name = "narrow",
                                .rates = narrow == DataType::s8 ? RateClass::int8 : RateClass::fp8};
        kernel.dram_traffic = moved;
        kernel.terms[Term::latency] = measured - gpu_.rates.gap;
        add(std::move(kernel), measured, gpu_.rates.gap, 1, gpu_.rates.gap);
    }

    void add_product(const LayerProduct& product, const ProductPlan& plan, Bytes scratch) {
        const GemmProblem& problem = product.problem;
        const GemmPrediction& found = plan.prediction;
        const double depth =
            std::ceil(static_cast<double>(plan.padded.k) / plan.kernel.splits / 8) * 8;
        const double area = static_cast<double>(plan.kernel.tile_n) * plan.kernel.tile_m;
        const double edges = plan.kernel.tile_n + plan.kernel.tile_m;
        KernelPrediction kernel{.name = shown_name(plan.kernel, product.rates()),
                                .algorithm = std::string(product.algorithm),
                                .rates = product.rates()};
        kernel.terms[Term::arithmetic] = found.arithmetic;
        kernel.terms[Term::latency] = found.latency + found.store;
        kernel.terms[Term::l2] = found.l2;
        kernel.terms[Term::dram] = found.dram;
        kernel.terms[Term::split] = found.split;
        kernel.flops = Flops{flops_per_product_step * found.blocks * area * depth};
        kernel.l2_traffic = Bytes{found.blocks * edges * depth * problem.element_bytes};
        kernel.dram_traffic = found.dram_traffic;
        kernel.workspace = scratch;
        kernel.work = product;
        kernel.tiles = PlannedTiles{.tile_m = plan.kernel.tile_m,
                                    .tile_n = plan.kernel.tile_n,
                                    .warps = plan.kernel.warps,
                                    .splits = plan.kernel.splits,
                                    .blocks = found.blocks,
                                    .rounds = found.rounds,
                                    .waits_for_loads = found.narrow_loads > Seconds{}};
        add(std::move(kernel), found.time, found.launch, product.repeats, found.launch);
    }

    void add_convolution(const ConvolutionProblem& problem, const ConvolutionPrediction& found,
                         RateClass rates) {
        KernelPrediction kernel{.name = shown_name(found.kernel),
                                .algorithm = std::string(our_name(found.kernel.algorithm)),
                                .rates = rates};
        kernel.terms[Term::arithmetic] = found.arithmetic;
        kernel.terms[Term::latency] = found.latency;
        kernel.terms[Term::l2] = found.l2;
        kernel.terms[Term::dram] = found.dram;
        kernel.terms[Term::transforms] = found.transforms;
        kernel.terms[Term::split] = found.split;
        kernel.flops = found.flops;
        kernel.dram_traffic = found.dram_traffic;
        if (found.l2_traffic > Bytes{}) {
            kernel.l2_traffic = found.l2_traffic;
        }
        kernel.workspace = found.workspace;
        kernel.work = LayerConvolution{problem, found.kernel};
        add(std::move(kernel), found.time, found.launch, 1, found.launch);
    }

    // All steps. Their launches count as launch and do not run ahead.
    void add_sequence(const RecurrentProblem& problem, const RecurrentPrediction& found,
                      RateClass rates) {
        KernelPrediction kernel{.name = fmt::format("{} {}", name_of(problem.cell), "steps"),
                                .algorithm = std::string(name_of(found.algorithm)),
                                .rates = rates};
        kernel.terms[Term::arithmetic] = found.arithmetic;
        kernel.terms[Term::latency] = found.latency;
        kernel.terms[Term::dram] = found.dram;
        kernel.flops = problem.flops();
        kernel.dram_traffic = problem.weights();
        kernel.terms[Term::launch] = found.launch + found.steps;
        kernel.work = problem;
        kernel.time = found.time;
        kernels_.push_back(std::move(kernel));
    }

    void add_attention(const AttentionProblem& problem, const AttentionPrediction& found) {
        KernelPrediction kernel{.name = "fused attention",
                                .algorithm = std::string(name_of(AttentionAlgorithm::fused)),
                                .rates = RateClass::fused_attention};
        kernel.terms[Term::arithmetic] = found.arithmetic + found.exponentials;
        kernel.terms[Term::latency] = found.latency;
        kernel.terms[Term::l2] = found.l2;
        kernel.terms[Term::dram] = found.dram;
        kernel.flops = problem.flops();
        kernel.dram_traffic = found.dram_traffic;
        kernel.work = problem;
        add(std::move(kernel), found.time, found.launch, 1, found.launch);
    }

private:
    // Measured tensors in 16 bits have their own rates, but take no longer than twice as many bytes
    // by the other rates.
    StreamingPrediction stream(const StreamKind& kind, Bytes traffic) const {
        const auto with = [&](const StreamingRates& rates, Bytes moved) {
            return predict_streaming(
                Stream{.traffic = moved, .rows = kind.rows, .columns = kind.columns}, gpu_.device,
                queued(rates, gpu_.rates.gap));
        };
        const StreamingRates& usual = gpu_.rates.stream(kind.rates);
        const auto& narrow = gpu_.rates.stream_in_16_bits(kind.rates);
        if (!is_narrow_ || !narrow) {
            return with(usual, traffic);
        }
        const StreamingPrediction found = with(*narrow, traffic), wide = with(usual, 2 * traffic);
        return found.time < wide.time ? found : wide;
    }

    // An optimizer updates many tensors in one call, and a layer's gradients are another one.
    Seconds host_for_pass(Seconds issue) const {
        return pass_ == Pass::update             ? issue
               : pass_ == Pass::backward_weights ? gpu_.rates.gap
                                                 : *gpu_.rates.host;
    }

    // `time` is of one repeat with `launch`; only the gap to the kernel before it remains.
    void add(KernelPrediction kernel, Seconds time, Seconds launch, double repeats, Seconds issue) {
        kernel.repeats = repeats;
        const Seconds of_host = gpu_.rates.host ? host_for_pass(issue) : issue;
        kernel.issue = kernels_.empty() ? std::max(of_host - gpu_.rates.gap, Seconds{}) : Seconds{};
        for (Seconds& term : kernel.terms.values) {
            term *= repeats;
        }
        kernel.terms[Term::launch] = repeats * std::min(launch, gpu_.rates.gap);
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
    Pass pass_;
    bool is_narrow_;
};

class GpuModel final : public DeviceModel {
public:
    explicit GpuModel(Gpu gpu) : gpu_(std::move(gpu)) {}

    const DeviceDescription& device() const override { return gpu_.device; }

    const Framework* framework() const override { return gpu_.rates.framework; }

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
        if (renames_input(task.op, task.pass, task.execution.numerics.mode)) {
            return Kernels{};
        }
        if (task.pass == Pass::update) {
            return streamed(task);
        }
        try {
            return with_casts(
                std::visit([&](const auto& op) { return predict_op(op, task); }, task.op), task);
        } catch (const Error& error) {  // the device lacks a number
            return NoModel{error.what()};
        }
    }

    std::vector<Alternative> alternatives_to(const KernelPrediction& kernel) const override {
        if (const auto* const convolution = kernel.convolution()) {
            return other_convolutions(kernel, convolution->problem);
        }
        const LayerProduct* const own = kernel.product();
        if (own == nullptr) {
            return {};
        }
        const ProductRates& product = gpu_.rates.product(kernel.rates);
        const Seconds waits = kernel.terms[Term::launch] / kernel.repeats;
        std::vector<Alternative> all;
        for (const GemmKernel& candidate : product.candidates) {
            const ProductPlan best =
                planned_product(own->problem, std::span(&candidate, 1), gpu_.device, product.rates);
            all.push_back({shown_name(best.kernel, kernel.rates), best.kernel.splits,
                           best.prediction.time - best.prediction.launch + waits});
        }
        std::ranges::sort(all, {}, &Alternative::time);
        return all;
    }

private:
    template <class T>
    LayerPrediction predict_op(const T& op, const LayerTask& task) const {
        const DataType dtype = task.signature.inputs.front().tensor.dtype;
        if constexpr (requires { products_of(op, task.signature, task.pass); }) {
            if (!arithmetic_of(dtype)) {
                return NoModel{fmt::format(
                    "products in {} cannot be predicted: use f32, f16 or bf16", name_of(dtype))};
            }
        }
        if constexpr (requires { convolution_of(op, task.signature, task.pass); }) {
            if (auto problem = convolution_of(op, task.signature, task.pass)) {
                problem->arithmetic = narrowed(problem->arithmetic, task, true);
                return convolved(*problem, task);
            }
        }
        if constexpr (std::is_same_v<T, Attention>) {
            if (auto problem = attention_of(op, task.signature, task.pass)) {
                problem->arithmetic = narrowed(problem->arithmetic, task, false);
                return attended(*problem, task);
            }
        }
        if constexpr (requires { products_of(op, task.signature, task.pass); }) {
            return with_products(task, products_of(op, task.signature, task.pass));
        } else {
            return streamed(task);
        }
    }

    // Weights in f32, narrowed before the pass that multiplies them; their gradients are widened.
    LayerPrediction with_casts(LayerPrediction found, const LayerTask& task) const {
        auto* const kernels = std::get_if<Kernels>(&found);
        const double narrow = static_cast<double>(size_in_bytes(task.execution.numerics.dtype));
        const Bytes weight = multiplied_weight(task);
        if (!gpu_.rates.cast || kernels == nullptr || kernels->empty() || narrow != 2 ||
            weight == Bytes{} || task.pass == Pass::backward_data) {
            return found;
        }
        Kernels casts;
        PassKernels(gpu_, casts, task.pass)
            .add_stream("cast", {RateClass::add}, weight, {.moves_operands = false});
        if (task.pass == Pass::forward) {
            casts.front().issue = kernels->front().issue + *gpu_.rates.cast;
            kernels->front().issue = Seconds{};
            std::swap(*kernels, casts);
        } else {
            casts.front().issue = Seconds{};
        }
        kernels->insert(kernels->end(), casts.begin(), casts.end());
        return found;
    }

    // What reading a layer's weight in f32 and writing it in 16 bits moves; 0 if it has none that
    // is multiplied.
    static Bytes multiplied_weight(const LayerTask& task) {
        const bool multiplies = std::holds_alternative<FullyConnected>(task.op) ||
                                std::holds_alternative<MatMul>(task.op) ||
                                std::holds_alternative<Convolution>(task.op) ||
                                std::holds_alternative<TransposedConvolution>(task.op);
        constexpr double moved = 4 + 2;  // bytes of an element
        const Operand* const weight = multiplies ? &task.signature.inputs[1] : nullptr;
        return weight != nullptr && weight->role == Role::parameter
                   ? Bytes{moved * values_of(weight->tensor)}
                   : Bytes{};
    }

    // TF32 in place of f32, if it is asked for.
    Arithmetic narrowed(Arithmetic arithmetic, const LayerTask& task, bool is_convolution) const {
        const bool is_asked = task.execution.numerics.single_precision == SinglePrecision::tf32 ||
                              (is_convolution && gpu_.rates.convolves_in_tf32);
        return is_asked && arithmetic == Arithmetic::f32 ? Arithmetic::tf32 : arithmetic;
    }

    // The fastest kernel of each of the library's algorithms.
    std::vector<Alternative> other_convolutions(const KernelPrediction& predicted,
                                                const ConvolutionProblem& problem) const {
        std::map<LibraryAlgorithm, ConvolutionPrediction> best;
        const auto try_all = [&](const ConvolutionProblem& one) {
            const ConvolutionRates& reached = gpu_.rates.convolution(class_of(one));
            for (const ConvolutionKernel& kernel :
                 candidate_kernels(one, gpu_.device, reached.library)) {
                const auto found = predict_kernel(one, kernel, gpu_.device, reached);
                const auto at = best.try_emplace(kernel.algorithm, found).first;
                if (found.time < at->second.time) {
                    at->second = found;
                }
            }
        };
        try_all(problem);
        if (const auto larger = padded(problem)) {
            try_all(*larger);
        }
        if (has_matrix_units(gpu_.device, problem.arithmetic)) {
            try_all(in_lanes(problem));
        }
        std::vector<Alternative> all;
        for (const auto& [algorithm, found] : best) {
            all.push_back({shown_name(found.kernel), std::max(1, found.kernel.splits),
                           found.time - found.launch + predicted.terms[Term::launch]});
        }
        std::ranges::sort(all, {}, &Alternative::time);
        return all;
    }

    const ProductPlan& plan_for(const GemmProblem& problem, RateClass rates) const {
        return remembered(products_, key_of(problem, rates), [&] {
            const ProductRates& product = gpu_.rates.product(rates);
            return planned_product(problem, product.candidates, gpu_.device, product.rates);
        });
    }

    // (Since cuDNN 8, the library pads channels on chip, and nobody else does but TensorRT, whose
    // formats of images hold groups of channels.)
    std::optional<ConvolutionProblem> padded(const ConvolutionProblem& problem) const {
        return gpu_.rates.convolution(class_of(problem)).library < padding_library ||
                       fusion() == LayerFusion::products
                   ? padded_for_matrix_units(problem, gpu_.device)
                   : std::nullopt;
    }

    // 16-bit numbers may also be padded, or multiplied on the fp32 lanes.
    ConvolutionPlan fastest(const ConvolutionProblem& problem, ConvolutionAlgorithm asked) const {
        std::optional<ConvolutionPlan> best;
        const auto try_as = [&](const ConvolutionProblem& one) {
            const RateClass rates = class_of(one);
            const ConvolutionRates& reached = gpu_.rates.convolution(rates);
            ConvolutionPlan plan{
                predict_fastest(one, kernels_for(one, asked, gpu_.device, reached.library),
                                gpu_.device, reached),
                rates};
            if (!best || plan.prediction.time < best->prediction.time) {
                best = std::move(plan);
            }
        };
        try_as(problem);
        if (const auto larger = padded(problem)) {
            try_as(*larger);
        }
        if (has_matrix_units(gpu_.device, problem.arithmetic)) {
            try_as(in_lanes(problem));
        }
        return *best;
    }

    Kernels convolved(const ConvolutionProblem& problem, const LayerTask& task) const {
        const ConvolutionAlgorithm asked = task.execution.engine.algorithm;
        const ConvolutionPlan& plan =
            remembered(convolutions_, key_of(problem, asked, class_of(problem)),
                       [&] { return fastest(problem, asked); });
        Kernels kernels;
        PassKernels pass(gpu_, kernels, task.pass);
        pass.add_convolution(problem, plan.prediction, plan.rates);
        add_bias(task, pass);
        return kernels;
    }

    // One kernel if fusion is requested. Otherwise, for 16 bits, the faster way, because frameworks
    // have such a kernel.
    Kernels attended(const AttentionProblem& problem, const LayerTask& task) const {
        const bool is_asked = task.execution.engine.fusion == Fusion::convolution ||
                              fusion() == LayerFusion::products;
        Kernels unfused;
        if (!is_asked) {
            unfused = with_products(
                task, products_of(std::get<Attention>(task.op), task.signature, task.pass));
        }
        if (!is_asked && problem.element_bytes > 2) {
            return unfused;
        }
        Kernels kernels;
        PassKernels(gpu_, kernels, task.pass)
            .add_attention(
                problem,
                predict_fused(problem, gpu_.device,
                              gpu_.rates.attention[static_cast<std::size_t>(problem.phase())]));
        if (is_asked) {
            return kernels;
        }
        // The host makes one call, whichever kernels run. (With the fused kernel's own launch, a
        // step could wait longer for the host than a larger, unfused one.)
        kernels.front().issue = unfused.front().issue;
        return time_of(kernels) < time_of(unfused) ? kernels : unfused;
    }

    Kernels with_products(const LayerTask& task, std::vector<LayerProduct> products) const {
        const Tensor& data = task.signature.inputs.front().tensor;
        const DataType multiplied = multiplied_type(task.signature);
        Kernels kernels;
        PassKernels pass(gpu_, kernels, task.pass, data.dtype);
        if (size_in_bytes(multiplied) < size_in_bytes(data.dtype)) {
            pass.add_narrowing(data, multiplied);
        }
        for (LayerProduct& product : products) {
            GemmProblem& p = product.problem;
            p.arithmetic = narrowed(*arithmetic_of(multiplied), task, !product.algorithm.empty());
            p.element_bytes = static_cast<double>(size_in_bytes(multiplied));
            if (product.algorithm.empty()) {  // the windows of a convolution are loaded by channels
                p.load_bytes = load_bytes_of(p);
            }
            const ProductPlan& plan = plan_for(p, product.rates());
            const double sums = static_cast<double>(p.batch * p.m) * static_cast<double>(p.n) * 4;
            pass.add_product(product, plan,
                             Bytes{plan.kernel.splits > 1 ? plan.kernel.splits * sums : 0});
            if (const auto* attention = std::get_if<Attention>(&task.op);
                attention != nullptr && kernels.size() == 1) {
                add_scores(*attention, task, pass);
            }
        }
        add_bias(task, pass);
        if (const auto* recurrent = std::get_if<Recurrent>(&task.op)) {
            add_sequences(*recurrent, task, pass);
        }
        return kernels;
    }

    // The type that operands are multiplied in: that of a narrowed weight, to which the others are
    // narrowed before.
    static DataType multiplied_type(const Signature& signature) {
        for (const Operand& operand : signature.inputs) {
            const DataType own = operand.tensor.dtype;
            if (operand.role == Role::parameter && arithmetic_of(own) && size_in_bytes(own) == 1) {
                return own;
            }
        }
        return signature.inputs.front().tensor.dtype;
    }

    void add_sequences(const Recurrent& op, const LayerTask& task, PassKernels& pass) const {
        for (const RecurrentProblem& problem : sequences_of(op, task.signature, task.pass)) {
            const RateClass first = problem.arithmetic == Arithmetic::f32
                                        ? RateClass::recurrent_forward
                                        : RateClass::low_precision_recurrent_forward;
            const RateClass rates =
                class_after(first, problem.pass == RecurrentPass::forward ? 0 : 1);
            pass.add_sequence(
                problem, planned_steps(problem, gpu_.device, gpu_.rates.sequence(rates)), rates);
        }
    }

    // A separate addition reads and writes the result; the bias's gradient is a sum over the
    // result's gradient.
    static void add_bias(const LayerTask& task, PassKernels& pass) {
        if (!adds_bias(task.op)) {
            return;
        }
        const Bytes result = task.signature.outputs.front().bytes();
        if (task.pass == Pass::backward_weights) {
            pass.add_stream("bias_gradient", {RateClass::add}, result, {.moves_operands = false});
        } else if (task.pass == Pass::forward && !std::holds_alternative<FullyConnected>(task.op) &&
                   task.execution.engine.bias == BiasAddition::separate) {
            pass.add_stream("bias", {RateClass::add}, 2 * result,
                            {.moves_operands = false, .written = result});
        }
    }

    // The softmax between the products reads and writes the scores; backward, it reads two of them.
    static void add_scores(const Attention& op, const LayerTask& task, PassKernels& pass) {
        const AttentionExtents x = extents_of(op, task.signature);
        const std::int64_t scores = x.batch * x.heads * x.queries * x.keys;
        const double streams = task.pass == Pass::forward ? 2 : 3;
        const Bytes each{
            static_cast<double>(scores) *
            static_cast<double>(size_in_bytes(task.signature.inputs.front().tensor.dtype))};
        pass.add_stream(
            "softmax", rows_kind(RateClass::short_softmax, RateClass::long_softmax, scores, x.keys),
            streams * each, {.moves_operands = false, .written = each});
    }

    Kernels streamed(const LayerTask& task) const {
        const bool is_update = task.pass == Pass::update;
        const Bytes traffic = stream_traffic(task);
        Kernels kernels;
        if (traffic > Bytes{}) {
            const DataType dtype =
                is_update ? DataType::f32 : task.signature.inputs.front().tensor.dtype;
            PassKernels(gpu_, kernels, task.pass, dtype)
                .add_stream(is_update ? "update" : kind_of(task.op),
                            is_update ? StreamKind{} : stream_kind(task.op, task.signature),
                            traffic);
        }
        return kernels;
    }

    Gpu gpu_;
    mutable Plans<7, ProductPlan> products_;
    mutable Plans<16, ConvolutionPlan> convolutions_;
};

}  // namespace

std::unique_ptr<DeviceModel> gpu_model(Gpu gpu) {
    return std::make_unique<GpuModel>(std::move(gpu));
}

}  // namespace strata
