// SPDX-License-Identifier: MIT
#include "predict/cpu_model.h"

#include "graph/expected_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double overlap = 4;  // the exponent that combines overlapping terms

// The share of a working set's traffic that misses a cache of this capacity.
double missing(Bytes working_set, Bytes capacity) {
    if (!(working_set > Bytes{})) {
        return 0;
    }
    return 1 / (1 + std::pow(capacity / working_set, 4));
}

// Bytes by the level that serves them.
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

// The traffic of a network between two uses of a layer's parameters: that of 25 million parameters,
// a usual network's, with their gradients and moments in training.
Bytes between_uses(Mode mode) {
    constexpr Bytes usual_parameters{100e6};
    return usual_parameters * (mode == Mode::training ? 3 : 1);
}

// The traffic of a network since the layer that wrote an operand, and since the last use of its
// result's memory: activations that wait for the backward pass or share memory, and a usual layer's
// parameters.
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

KernelPrediction predict_on_cpu(const CpuWork& work, const CpuCeilings& ceilings,
                                const CpuRates& rates, Surroundings surroundings, Mode mode) {
    const double cores = ceilings.cores;
    const double idle = std::max(1.0, cores / std::max(work.independent, 1.0));
    Seconds call, arithmetic;
    double traffic = 1;
    Bytes refetch;
    if (work.is_product) {
        const CpuProductRates& found = rates.product(work.family);
        // (Idle cores do not wait for each other's rows and columns: more of them never take less
        // time.)
        const double starts =
            idle * (1 + found.sum / work.sum) + found.columns / work.columns + found.row / work.row;
        // (If the clock rose after the peak was measured, a fit could exceed the peak.)
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
    CpuModel(Cpu cpu, int vector_bits)
        : cpu_(std::move(cpu)),
          ceilings_(ceilings_for_rates(cpu_.device)),
          vector_bits_(vector_bits) {}

    const DeviceDescription& device() const override { return cpu_.device; }

    RateSource source_of(RateClass rates) const override {
        RateSource source = cpu_.rates.source;
        source.name = name_of(rates);
        return source;
    }

    std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const override {
        Cpu other = cpu_;
        scale(other, resource, factor);
        return std::make_unique<CpuModel>(std::move(other), vector_bits_);
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
        Kernels kernels = kernels_of(task);
        if (const auto wider = beyond_few_channels(task)) {
            Kernels padded = kernels_of({task.op, *wider, task.pass, task.execution});
            kernels = time_of(padded) < time_of(kernels) ? padded : kernels;
        }
        take_expected(task, kernels);
        return kernels;
    }

    std::vector<Alternative> alternatives_to(const KernelPrediction&) const override { return {}; }

private:
    // What the engine runs instead of direct convolution. (Its reorders are the same; all terms
    // shrink alike, because what binds is not known.)
    void take_expected(const LayerTask& task, Kernels& kernels) const {
        const auto* op = std::get_if<Convolution>(&task.op);
        if (op == nullptr || task.execution.engine.algorithm != ConvolutionAlgorithm::automatic) {
            return;
        }
        const ConvolutionTask convolution = {
            .op = *op,
            .x = task.signature.inputs[0].tensor,
            .y = task.signature.outputs[0],
            .pass = task.pass,
            .keeps_filters =
                task.pass == Pass::forward && task.execution.numerics.mode == Mode::inference};
        const auto expected = faster_than_direct(convolution, vector_bits_);
        for (KernelPrediction& kernel : kernels) {
            if (expected && kernel.rates == RateClass::convolution) {
                kernel.algorithm = name_of(expected->algorithm);
                kernel.flops = kernel.flops * *product_share(expected->algorithm, convolution);
                kernel.time = kernel.time * expected->time_share;
                for (Seconds& term : kernel.terms.values) {
                    term = term * expected->time_share;
                }
            }
        }
    }

    Kernels kernels_of(const LayerTask& task) const {
        Kernels kernels;
        for (const CpuWork& work : work_on_cpu(task)) {
            add(task, work, kernels);
        }
        if (const auto reorder = reorder_on_cpu(task)) {
            add(task, *reorder, kernels);
        }
        return kernels;
    }

    void add(const LayerTask& task, const CpuWork& work, Kernels& kernels) const {
        KernelPrediction kernel = predict_on_cpu(work, ceilings_, cpu_.rates, Surroundings::network,
                                                 task.execution.numerics.mode);
        kernel.rates = class_of(task, work);
        kernel.algorithm = kernel.rates == RateClass::convolution ? "direct" : "";
        kernels.push_back(std::move(kernel));
    }

    Cpu cpu_;
    CpuCeilings ceilings_;
    int vector_bits_;  // of the device before it was scaled
};

// (A processor without a stated width counts as an AVX2 one; the two hardly differ in what is
// chosen.)
int vector_bits_of(const DeviceDescription& device) {
    constexpr Count avx512_lanes{32};  // two multiply-adds of 16 floats per clock
    return device.lanes && device.lanes->value >= avx512_lanes ? 512 : 256;
}

}  // namespace

std::unique_ptr<DeviceModel> cpu_model(Cpu cpu) {
    const int vector_bits = vector_bits_of(cpu.device);
    return std::make_unique<CpuModel>(std::move(cpu), vector_bits);
}

}  // namespace strata
