// SPDX-License-Identifier: MIT
#include "predict/tpu_model.h"

#include "base/error.h"
#include "predict/layer_products.h"
#include "predict/rates.h"
#include "predict/systolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr std::string_view fitted_tpu = "tpu-v2";
constexpr double passes_of_layer = 3;  // forward, and the gradients of data and weights
constexpr double cells_of_array = 128.0 * 128.0;
constexpr double bytes_of_sample_value = 4;  // the host sends fp32

Seconds longer_with_overlap(Seconds a, Seconds b, double exponent) {
    const Seconds longer = std::max(a, b);
    return longer > Seconds{}
               ? longer * std::pow(std::pow(a / longer, exponent) + std::pow(b / longer, exponent),
                                   1 / exponent)
               : Seconds{};
}

bool is_fused_on_tpus(const Op& op) {
    return std::holds_alternative<Activation>(op) || std::holds_alternative<Elementwise>(op) ||
           std::holds_alternative<Unary>(op) || std::holds_alternative<Dropout>(op) ||
           std::holds_alternative<Reshape>(op) || std::holds_alternative<Identity>(op) ||
           std::holds_alternative<Cast>(op);
}

// A core's part of a product: of the batch, or else of the rows; for gradients of weights, of the
// length of the sums.
GemmProblem part_of_core(GemmProblem problem, Pass pass, double cores) {
    std::int64_t& divided = problem.batch > 1                ? problem.batch
                            : pass == Pass::backward_weights ? problem.k
                                                             : problem.m;
    divided = static_cast<std::int64_t>(std::ceil(static_cast<double>(divided) / cores));
    return problem;
}

class TpuModel final : public DeviceModel {
public:
    explicit TpuModel(Tpu tpu) : tpu_(std::move(tpu)) {
        const DeviceDescription& device = tpu_.device;
        if (!device.matrix_lanes || !device.processors || !device.boost_clock ||
            !device.dram_bandwidth) {
            throw Error(
                fmt::format("{} lacks matrix_lanes, processors, boost_clock or dram_bandwidth, "
                            "which a prediction for a TPU needs; add them to its description",
                            device.name));
        }
    }

    const DeviceDescription& device() const override { return tpu_.device; }
    RateSource source_of(RateClass) const override { return tpu_.source; }

    std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const override;
    LayerPrediction predict(const LayerTask& task) const override;
    std::vector<Alternative> alternatives_to(const KernelPrediction&) const override { return {}; }
    Seconds beyond_steps(Seconds steps, const FedValues& fed) const override;

private:
    double cores() const { return tpu_.device.processors->value.value; }
    double arrays() const {
        return std::max(1.0, tpu_.device.matrix_lanes->value.value / cells_of_array);
    }
    Bandwidth reached() const {
        return tpu_.device.dram_bandwidth->value * tpu_.rates.product.dram_efficiency;
    }

    Kernels product(const LayerTask& task, const std::vector<LayerProduct>& products) const;
    Kernels update(const LayerTask& task) const;
    Kernels stream(const LayerTask& task) const;

    Tpu tpu_;
};

// (Links between cores and to the host scale like the memory.)
std::unique_ptr<DeviceModel> TpuModel::scaled(Resource resource, double factor) const {
    Tpu other = tpu_;
    TrainingStepRates& rates = other.rates;
    if (resource == Resource::compute) {
        rates.product.efficiency *= factor;
        if (other.device.bf16_peak) {  // predictions respect this ceiling
            other.device.bf16_peak->value *= factor;
        }
    } else if (resource == Resource::dram_bandwidth) {
        other.device.dram_bandwidth->value *= factor;
        rates.all_reduce *= factor;
        rates.infeed *= factor;
    } else if (resource == Resource::launch) {
        rates.product.launch *= 1 / factor;
        rates.step *= 1 / factor;
        rates.infeed_wait *= 1 / factor;
    }
    return std::make_unique<TpuModel>(std::move(other));
}

LayerPrediction TpuModel::predict(const LayerTask& task) const {
    if (std::holds_alternative<Opaque>(task.op)) {
        return NoModel{"an opaque operator has no model"};
    }
    if (task.pass == Pass::update) {
        return update(task);
    }
    if (std::holds_alternative<Recurrent>(task.op)) {
        return NoModel{"recurrent layers on TPUs cannot be predicted yet"};
    }
    if (is_fused_on_tpus(task.op)) {
        return Kernels{};
    }
    const auto products =
        layer_products(task.op, task.signature, task.pass).value_or(std::vector<LayerProduct>());
    if (products.empty()) {
        return stream(task);
    }
    const DataType dtype = task.signature.inputs.front().tensor.dtype;
    if (dtype != DataType::f32 && dtype != DataType::bf16) {
        return NoModel{
            fmt::format("products in {} on TPUs cannot be predicted yet: use --dtype "
                        "f32 or bf16",
                        name_of(dtype))};
    }
    return product(task, products);
}

Kernels TpuModel::product(const LayerTask& task, const std::vector<LayerProduct>& products) const {
    const TrainingStepRates& rates = tpu_.rates;
    KernelPrediction kernel{.name = "systolic",
                            .algorithm = std::string(products.front().algorithm),
                            .rates = products.front().rates()};
    double cycles = 0;
    for (const LayerProduct& one : products) {
        const GemmProblem part = part_of_core(one.problem, task.pass, cores());
        cycles += one.repeats * overlapped_cycles(part, {}) / arrays();
    }
    const Work work = work_of(task.op, task.signature, task.pass);
    Bytes weights;
    for (const Operand& operand : task.signature.inputs) {
        weights += operand.role == Role::parameter ? operand.tensor.bytes() : Bytes{};
    }
    const Bytes activations = std::max(Bytes{}, work.traffic() - weights);
    // (Each core moves all weights; the activations are divided among cores.)
    const Bytes moved = cores() * rates.weight_copies / passes_of_layer * weights +
                        rates.activation_copies / passes_of_layer * activations;
    kernel.terms[Term::launch] = rates.product.launch / passes_of_layer;
    kernel.terms[Term::arithmetic] =
        Seconds{cycles / (tpu_.device.boost_clock->value.value * rates.product.efficiency)};
    kernel.terms[Term::dram] = moved / reached();
    kernel.flops = Flops{2 * cycles * cells_of_array * arrays() * cores()};
    kernel.dram_traffic = work.traffic();
    kernel.time = kernel.terms[Term::launch] +
                  std::max(kernel.terms[Term::arithmetic], kernel.terms[Term::dram]);
    return {std::move(kernel)};
}

Kernels TpuModel::update(const LayerTask& task) const {
    Bytes parameters;
    for (const Operand& operand : task.signature.inputs) {
        parameters += operand.role == Role::parameter ? operand.tensor.bytes() : Bytes{};
    }
    Kernels kernels;
    const auto add = [&](std::string name, Bytes moved, Seconds time) {
        KernelPrediction kernel{.name = std::move(name), .rates = RateClass::add, .time = time};
        kernel.terms[Term::dram] = time;
        kernel.dram_traffic = moved;
        kernels.push_back(std::move(kernel));
    };
    const Bytes passed = cores() * tpu_.rates.optimizer_passes * parameters;
    add("update", passed, passed / reached());
    if (cores() > 1) {
        add("all-reduce", {}, parameters / tpu_.rates.all_reduce);
    }
    return kernels;
}

Kernels TpuModel::stream(const LayerTask& task) const {
    const Bytes moved = work_of(task.op, task.signature, task.pass).traffic();
    if (!(moved > Bytes{})) {
        return {};
    }
    KernelPrediction kernel{.name = std::string(kind_of(task.op)), .rates = RateClass::add};
    kernel.terms[Term::launch] = tpu_.rates.product.launch / passes_of_layer;
    kernel.terms[Term::dram] = moved / reached();
    kernel.dram_traffic = moved;
    kernel.time = kernel.terms[Term::launch] + kernel.terms[Term::dram];
    return {std::move(kernel)};
}

// Samples and, in training, one label value for each class enter while the board computes.
Seconds TpuModel::beyond_steps(Seconds steps, const FedValues& fed) const {
    const double values = fed.samples + tpu_.rates.label_elements * fed.classes;
    const Seconds board = tpu_.rates.step + steps;
    const Seconds infeed =
        tpu_.rates.infeed_wait + Bytes{bytes_of_sample_value * values} / tpu_.rates.infeed;
    return longer_with_overlap(board, infeed, tpu_.rates.overlap) - steps;
}

}  // namespace

Tpu tpu_of(const DeviceDescription& device) {
    const auto rates_in = [](const DeviceRates& rates, Tpu& tpu, RateOrigin origin,
                             std::string_view of) {
        if (rates.training_step.empty()) {
            return false;
        }
        const auto& [name, found] = *rates.training_step.begin();
        tpu.rates = found;
        tpu.source = {origin, std::string(of), name};
        return true;
    };
    Tpu tpu{device, {}, {}};
    if (!rates_in(own_rates_of(device.name), tpu, RateOrigin::fitted, device.name) &&
        !rates_in(shipped_rates_of(device.name), tpu, RateOrigin::shipped, device.name)) {
        rates_in(shipped_rates_of(fitted_tpu), tpu, RateOrigin::related, fitted_tpu);
    }
    return tpu;
}

void apply(Tpu& tpu, const DeviceChanges& changes) {
    const DeviceDescription before = tpu.device;
    for (const std::string& text : changes) {
        if (const auto launch = value_for("launch", text)) {
            const LaunchChange change = launch_change(*launch);
            const double* factor = std::get_if<double>(&change);
            Seconds& time = tpu.rates.product.launch;
            time = factor != nullptr ? time * *factor : std::get<Seconds>(change);
        } else {
            change(tpu.device, text);
        }
    }
    follow(before, tpu.device);
}

std::unique_ptr<DeviceModel> tpu_model(Tpu tpu) {
    return std::make_unique<TpuModel>(std::move(tpu));
}

}  // namespace strata
