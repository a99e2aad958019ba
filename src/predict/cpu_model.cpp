// SPDX-License-Identifier: MIT
#include "predict/cpu_model.h"

#include "predict/layer_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double overlap = 4;                // the exponent that joins what hides each other
constexpr std::int64_t register_width = 16;  // floats that convolutions pad channels to
constexpr std::int64_t few_input_channels = 4;
constexpr std::int64_t half_register_width = 8;
constexpr std::int64_t usual_window = 9;
// Results of a product that one core computes at a time, and elements of a tensor.
constexpr double results_of_a_piece = 256;
constexpr double elements_of_a_piece = 4096;

// Answers go by kernels of their own where parameters no longer change.
std::string with_pass(std::string_view kind, const LayerTask& task) {
    const bool answers =
        task.pass == Pass::forward && task.execution.numerics.mode == Mode::inference;
    return fmt::format("{} {}", kind, answers ? "inference" : name_of(task.pass));
}

// Convolutions whose loops differ have rates of their own. oneDNN leaves some of the gradients of
// large depthwise windows, and of groups that do not fill registers, to plain loops.
std::string convolution_kind(const Convolution& op, const Signature& signature) {
    const std::int64_t channels = signature.inputs[0].tensor.dims[1];
    if (op.groups > 1 && op.groups == channels) {
        return product(op.kernel) > usual_window ? "wide-depthwise" : "depthwise";
    }
    if (op.groups > 1) {
        const bool fills = channels / op.groups % half_register_width == 0 &&
                           op.out_channels / op.groups % half_register_width == 0;
        return fills ? "grouped" : "narrow-grouped";
    }
    return channels <= few_input_channels ? "few-channel"
           : product(op.kernel) == 1      ? "pointwise"
                                          : "convolution";
}

std::string product_kind(const Op& op, const Signature& signature) {
    if (const auto* convolution = std::get_if<Convolution>(&op)) {
        return convolution_kind(*convolution, signature);
    }
    if (const auto* recurrent = std::get_if<Recurrent>(&op)) {
        return recurrent->cell == CellKind::lstm  ? "lstm"
               : recurrent->cell == CellKind::gru ? "gru"
                                                  : "recurrent";
    }
    return std::holds_alternative<TransposedConvolution>(op) ? "convolution"
                                                             : std::string(type_of(op));
}

std::int64_t padded(std::int64_t extent) {
    return (extent + register_width - 1) / register_width * register_width;
}

Bytes parameter_bytes(const Signature& signature) {
    Bytes sum;
    for (const Operand& operand : signature.inputs) {
        sum += operand.role == Role::parameter ? operand.tensor.bytes() : Bytes{};
    }
    return sum;
}

double number(std::int64_t extent) {
    return static_cast<double>(extent);
}

constexpr double flops_per_multiply_add = 2;

// A convolution's loops: its sums run over channels and window (forward), filters and window
// (backward_data), or images and results (backward_weights), and a filter in registers is used
// along a row of results. The gradient of the images takes as many operations as the forward pass.
CpuWork convolution_work(const Dims& image, const Dims& result, const Dims& kernel,
                         std::int64_t groups, const Operand& weights, Pass pass) {
    const std::int64_t filters = result[1] / groups;
    const std::int64_t channels = image[1] / groups;
    const std::int64_t outputs = result[0] * product(std::span(result).subspan(2));
    const std::int64_t window = product(kernel);
    const bool is_depthwise = channels == 1 && filters == 1;
    // Images are stored in blocks of channels that fill a register.
    const std::int64_t loops = is_depthwise  ? padded(groups)
                               : groups == 1 ? padded(filters) * channels
                                             : groups * filters * channels;
    const std::int64_t sum = pass == Pass::forward         ? channels * window
                             : pass == Pass::backward_data ? filters * window
                                                           : outputs;
    const std::int64_t columns = pass == Pass::backward_data ? channels : filters;
    CpuWork work;
    work.is_product = true;
    work.operations = flops_per_multiply_add * number(loops) * number(outputs) * number(window);
    work.sum = number(sum);
    work.row = number(result.back());
    work.columns = number(is_depthwise ? groups : columns);
    work.parameters = weights.tensor.bytes();
    work.independent = number(outputs) * number(result[1]) / results_of_a_piece;
    return work;
}

CpuWork gemm_work(const LayerProduct& product) {
    const GemmProblem& p = product.problem;
    CpuWork work;
    work.is_product = true;
    work.operations =
        flops_per_multiply_add * number(p.batch) * number(p.m) * number(p.n) * number(p.k);
    work.sum = number(p.k);
    work.row = number(p.m);
    work.columns = number(p.n);
    work.repeats = product.repeats;
    work.parameters = Bytes{4 * number(p.n) * number(p.k)};
    work.independent = number(p.batch) * number(p.m) * number(p.n) / results_of_a_piece;
    return work;
}

// The products of a task, without families and traffic; nothing for an operator that needs none.
std::optional<std::vector<CpuWork>> products_on_cpu(const LayerTask& task) {
    const Signature& s = task.signature;
    if (task.pass == Pass::update) {
        return std::nullopt;
    }
    if (const auto* op = std::get_if<Convolution>(&task.op)) {
        return std::vector{convolution_work(s.inputs[0].tensor.dims, s.outputs[0].dims, op->kernel,
                                            op->groups, s.inputs[1], task.pass)};
    }
    if (const auto* op = std::get_if<TransposedConvolution>(&task.op)) {
        const Pass turned = task.pass == Pass::forward         ? Pass::backward_data
                            : task.pass == Pass::backward_data ? Pass::forward
                                                               : task.pass;
        return std::vector{convolution_work(s.outputs[0].dims, s.inputs[0].tensor.dims, op->kernel,
                                            op->groups, s.inputs[1], turned)};
    }
    auto products = std::visit(
        [&]<class T>(const T& op) -> std::optional<std::vector<LayerProduct>> {
            if constexpr (requires { products_of(op, s, task.pass); }) {
                return products_of(op, s, task.pass);
            } else {
                return std::nullopt;
            }
        },
        task.op);
    if (!products) {
        return std::nullopt;
    }
    if (const auto* op = std::get_if<Recurrent>(&task.op)) {
        std::ranges::move(step_products_of(*op, s, task.pass), std::back_inserter(*products));
    }
    std::vector<CpuWork> works;
    std::ranges::transform(*products, std::back_inserter(works), gemm_work);
    return works;
}

// The compulsory traffic of the pass, divided among its products, parameters by the extents that
// they have in each.
void add_traffic(const LayerTask& task, std::vector<CpuWork>& works) {
    const Bytes traffic = work_of(task.op, task.signature, task.pass).traffic();
    const Bytes parameters = std::min(parameter_bytes(task.signature), traffic);
    const auto count = static_cast<double>(works.size());
    Bytes of_products;
    for (const CpuWork& work : works) {
        of_products += work.parameters;
    }
    for (CpuWork& work : works) {
        // A recurrent layer multiplies all inputs at once, as a fully connected layer would.
        const bool is_of_inputs = std::holds_alternative<Recurrent>(task.op) &&
                                  task.pass != Pass::backward_weights && work.repeats == 1;
        work.family = with_pass(
            is_of_inputs ? "fully_connected" : product_kind(task.op, task.signature), task);
        work.parameters *= parameters / of_products;
        work.streamed = (traffic - parameters) / (count * work.repeats);
    }
}

double elements_of(const Signature& signature) {
    std::int64_t most = 0;
    for (const Operand& operand : signature.inputs) {
        most = operand.role == Role::parameter ? most : std::max(most, operand.tensor.elements());
    }
    for (const Tensor& output : signature.outputs) {
        most = std::max(most, output.elements());
    }
    return static_cast<double>(most);
}

double total_of(const Operations& o) {
    return o.multiply_adds + o.adds + o.multiplies + o.divides + o.compares + o.transcendentals;
}

bool is_idle(const LayerTask& task) {
    const bool is_idle_dropout =
        std::holds_alternative<Dropout>(task.op) && task.execution.numerics.mode == Mode::inference;
    return task.pass != Pass::update &&
           (is_idle_dropout || std::holds_alternative<Reshape>(task.op) ||
            std::holds_alternative<Identity>(task.op));
}

std::vector<CpuWork> stream_of(const LayerTask& task) {
    const bool is_update = task.pass == Pass::update;
    const Work work =
        work_of(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer));
    if (!(work.traffic() > Bytes{})) {
        return {};
    }
    const double elements =
        is_update ? parameter_bytes(task.signature).value / 4 : elements_of(task.signature);
    // An embedding reads the rows that it is asked for, not the whole table.
    const bool is_look_up =
        std::holds_alternative<Embedding>(task.op) && task.pass == Pass::forward;
    CpuWork found{.family = with_pass(
                      is_update ? product_kind(task.op, task.signature) : kind_of(task.op), task),
                  .operations = std::max(total_of(work.operations), elements),
                  .parameters = {},
                  .streamed = is_look_up ? 2 * work.written : work.traffic(),
                  .independent = elements / elements_of_a_piece};
    // A batch normalisation's or layer normalisation's gradients of its parameters come with its
    // input's.
    const bool comes_with_data = task.pass == Pass::backward_weights &&
                                 (std::holds_alternative<BatchNormalization>(task.op) ||
                                  std::holds_alternative<LayerNormalization>(task.op) ||
                                  std::holds_alternative<GroupNormalization>(task.op));
    return comes_with_data ? std::vector<CpuWork>() : std::vector<CpuWork>{found};
}

// The share of a working set's traffic that misses a cache of this capacity.
double missing(Bytes working_set, Bytes capacity) {
    if (!(working_set > Bytes{})) {
        return 0;
    }
    return 1 / (1 + std::pow(capacity / working_set, 4));
}

// Bytes by what serves them.
struct ServedBy {
    Bytes l2, l3, memory;

    void add(Bytes bytes, Bytes working_set, const CpuCeilings& ceilings, double share) {
        const Bytes last = std::max(ceilings.l2_size, share * ceilings.last_size);
        const double beyond_l2 = missing(working_set, ceilings.l2_size);
        const double beyond_last = missing(working_set, last);
        l2 += bytes * (1 - beyond_l2);
        l3 += bytes * std::max(beyond_l2 - beyond_last, 0.0);
        memory += bytes * std::min(beyond_last, beyond_l2);
    }
};

// What a network between two uses of a layer's parameters moves through the caches: as much as 25
// million parameters, a usual network's, with their gradients and moments in training.
Bytes between_uses(Mode mode) {
    constexpr Bytes usual_parameters{100e6};
    return usual_parameters * (mode == Mode::training ? 3 : 1);
}

// What a network moves through the caches between the layer that wrote an operand and this one, and
// since the memory of its result was last used: that of activations that wait for the backward
// pass, or that share their memory, and of a usual layer's parameters.
struct StreamSets {
    Bytes just_written, long_left;
};
StreamSets stream_sets(const CpuWork& work, Surroundings surroundings, Mode mode) {
    constexpr Bytes usual_activations{100e6};
    constexpr Bytes usual_layer{1e6};
    const Bytes together = work.parameters + work.streamed;
    if (surroundings == Surroundings::alone) {
        return {together, together};
    }
    const Bytes shared = 2 * (together + usual_layer);
    return {together + usual_layer,
            mode == Mode::training ? std::max(shared, usual_activations) : shared};
}

ServedBy served(const CpuWork& work, const CpuCeilings& ceilings, double share, Bytes refetch,
                Surroundings surroundings, Mode mode) {
    const Bytes together = work.parameters + work.streamed;
    const double copies = mode == Mode::training && work.is_product ? 3 : 1;
    const Bytes of_iteration = copies * work.parameters + work.streamed;
    const Bytes first = surroundings == Surroundings::alone
                            ? of_iteration
                            : std::max(of_iteration, between_uses(mode));
    ServedBy found{};
    found.add(work.parameters, first, ceilings, share);
    found.add(work.parameters * (work.repeats - 1), together, ceilings, share);
    const StreamSets sets = stream_sets(work, surroundings, mode);
    const Bytes half = work.streamed * work.repeats / 2;
    found.add(half, sets.just_written, ceilings, share);
    found.add(half, sets.long_left, ceilings, share);
    found.add(refetch * work.operations * work.repeats, together, ceilings, share);
    return found;
}

Seconds joined(Seconds a, Seconds b) {
    const Seconds longer = std::max(a, b);
    if (!(longer > Seconds{})) {
        return {};
    }
    const double ratio = std::min(a, b) / longer;
    return longer * std::pow(1 + std::pow(ratio, overlap), 1 / overlap);
}

}  // namespace

std::vector<CpuWork> work_on_cpu(const LayerTask& task) {
    if (is_idle(task)) {
        return {};
    }
    auto products = products_on_cpu(task);
    if (!products) {
        return stream_of(task);
    }
    add_traffic(task, *products);
    return *std::move(products);
}

std::optional<CpuWork> reorder_on_cpu(const LayerTask& task) {
    const auto* convolution = std::get_if<Convolution>(&task.op);
    const bool changes =
        task.pass == Pass::backward_data && task.execution.numerics.mode == Mode::training;
    if (!changes || (convolution == nullptr && !std::holds_alternative<Recurrent>(task.op)) ||
        (convolution != nullptr && convolution->groups > 1)) {
        return std::nullopt;
    }
    const Bytes weights = parameter_bytes(task.signature);
    return CpuWork{.family = product_kind(task.op, task.signature) + " reorder",
                   .operations = weights.value / 4,
                   .parameters = {},
                   .streamed = 2 * weights,
                   .independent = weights.value / 4 / elements_of_a_piece};
}

KernelPrediction predict_on_cpu(const CpuWork& work, const CpuCeilings& ceilings,
                                const CpuRates& rates, Surroundings surroundings, Mode mode) {
    const double cores = ceilings.cores;
    const double idle = std::max(1.0, cores / std::max(work.independent, 1.0));
    Seconds call, arithmetic;
    double traffic = 1;
    Bytes refetch;
    if (work.is_product) {
        const CpuProductRates& found = rates.product(work.family);
        // (Cores that idle do not wait for each other's rows: more rows never take less time.)
        const double starts =
            idle * (1 + found.sum / work.sum + found.columns / work.columns) + found.row / work.row;
        // (A clock that rose after the peak was measured could fit more than the peak.)
        const double efficiency = std::min(found.efficiency, 1.0);
        arithmetic = Flops{work.operations * starts} / (efficiency * ceilings.peak);
        call = found.call;
        traffic = found.traffic;
        refetch = Bytes{found.refetch};
    } else {
        const CpuStreamRates& found = rates.stream(work.family);
        arithmetic = Flops{work.operations * found.operations * idle} / ceilings.peak;
        call = found.call;
        traffic = found.traffic;
    }
    const ServedBy by = served(work, ceilings, rates.share, refetch, surroundings, mode);
    KernelPrediction kernel{.name = work.family, .repeats = work.repeats};
    kernel.terms[Term::launch] = work.repeats * call;
    kernel.terms[Term::arithmetic] = work.repeats * arithmetic;
    kernel.terms[Term::l2] =
        traffic * (by.l2 / (rates.l2 * ceilings.l2) + by.l3 / (rates.l3 * ceilings.l2));
    kernel.terms[Term::dram] = traffic * (by.memory / (rates.dram * ceilings.dram));
    kernel.time = work.repeats * call + joined(kernel.terms[Term::arithmetic],
                                               kernel.terms[Term::l2] + kernel.terms[Term::dram]);
    kernel.flops = Flops{work.is_product ? work.repeats * work.operations : 0};
    kernel.l2_traffic = traffic * (by.l2 + by.l3);
    kernel.dram_traffic = traffic * by.memory;
    return kernel;
}

namespace {

RateClass class_of(const LayerTask& task, const CpuWork& work) {
    if (!work.is_product) {
        return RateClass::add;
    }
    return std::holds_alternative<Convolution>(task.op) ||
                   std::holds_alternative<TransposedConvolution>(task.op)
               ? RateClass::convolution
           : std::holds_alternative<FullyConnected>(task.op) ? RateClass::linear
                                                             : RateClass::batched;
}

class CpuModel final : public DeviceModel {
public:
    explicit CpuModel(Cpu cpu) : cpu_(std::move(cpu)), ceilings_(ceilings_for_rates(cpu_.device)) {}

    const DeviceDescription& device() const override { return cpu_.device; }

    RateSource source_of(RateClass rates) const override {
        RateSource source = cpu_.rates.source;
        source.name = name_of(rates);
        return source;
    }

    std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const override {
        Cpu other = cpu_;
        scale(other, resource, factor);
        return std::make_unique<CpuModel>(std::move(other));
    }

    LayerPrediction predict(const LayerTask& task) const override {
        if (std::holds_alternative<Opaque>(task.op)) {
            return NoModel{"an opaque operator has no model"};
        }
        const DataType dtype = task.execution.numerics.dtype;
        if (dtype != DataType::f32) {
            return NoModel{
                fmt::format("layers in {} cannot be predicted on CPUs yet: use "
                            "--dtype f32",
                            name_of(dtype))};
        }
        Kernels kernels;
        for (const CpuWork& work : work_on_cpu(task)) {
            add(task, work, kernels);
        }
        if (const auto reorder = reorder_on_cpu(task)) {
            add(task, *reorder, kernels);
        }
        return kernels;
    }

    std::vector<Alternative> alternatives_to(const KernelPrediction&) const override { return {}; }

private:
    void add(const LayerTask& task, const CpuWork& work, Kernels& kernels) const {
        KernelPrediction kernel = predict_on_cpu(work, ceilings_, cpu_.rates, Surroundings::network,
                                                 task.execution.numerics.mode);
        kernel.rates = class_of(task, work);
        kernel.algorithm = kernel.rates == RateClass::convolution ? "direct" : "";
        kernels.push_back(std::move(kernel));
    }

    Cpu cpu_;
    CpuCeilings ceilings_;
};

}  // namespace

std::unique_ptr<DeviceModel> cpu_model(Cpu cpu) {
    return std::make_unique<CpuModel>(std::move(cpu));
}

}  // namespace strata
