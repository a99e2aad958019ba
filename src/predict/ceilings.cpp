// SPDX-License-Identifier: MIT
#include "predict/ceilings.h"

#include "op/convention.h"
#include "predict/cpu_rates.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

template <class Q>
void add_peak(std::vector<ComputeCeiling>& ceilings, const char* dtype,
              const std::optional<Fact<Q>>& peak) {
    if (peak) {
        ceilings.push_back({dtype, *peak});
    }
}

// The highest bandwidth that gpu-benches read on the GPUs with a stated one (an H200).
constexpr double gpu_bytes_per_clock = 38;

std::optional<Fact<Bandwidth>> l2_bandwidth_of(const DeviceDescription& device) {
    const auto& clock = device.boost_clock ? device.boost_clock : device.base_clock;
    if (device.l2_bandwidth || !device.processors || !clock) {
        return device.l2_bandwidth;
    }
    if (device.kind == DeviceKind::cpu) {
        return Fact<Bandwidth>{ceilings_for_rates(device).l2, "derived: 32 bytes a clock and core"};
    }
    return Fact<Bandwidth>{
        Bandwidth{gpu_bytes_per_clock * device.processors->value.value * clock->value.value},
        fmt::format("derived: {} bytes a clock and processor", gpu_bytes_per_clock)};
}

// If no source measures the last cache, it is only known to be slower than the one before it.
void add_caches(const DeviceDescription& device, std::vector<MemoryLevel>& levels) {
    const auto bandwidth = l2_bandwidth_of(device);
    if (!bandwidth || !device.dram_bandwidth) {
        return;  // the last level is the memory
    }
    if (device.l2) {
        levels.push_back({"L2", device.l2->value, *bandwidth});
    }
    if (device.l3 && (!device.l2 || device.l3->value > device.l2->value)) {
        levels.push_back(
            {"L3", device.l3->value, {bandwidth->value, "derived: at most that of the L2 cache"}});
    }
}

// Kernels that tell what they execute: those of a convolution's chosen algorithm.
bool tells_executed(const KernelPrediction& kernel, DeviceKind kind) {
    return kind == DeviceKind::cpu ? kernel.rates == RateClass::convolution
                                   : kernel.convolution() != nullptr;
}

Flops executed_flops(DeviceKind kind, const LayerTask& task, const Kernels& kernels) {
    const Flops all = count(task.op, task.signature, task.pass, conventions().front(),
                            cost_of(task.execution.numerics.optimizer));
    Flops executed;
    for (const KernelPrediction& kernel : kernels) {
        executed += tells_executed(kernel, kind) ? kernel.flops : Flops{};
    }
    return executed > Flops{} ? std::min(all, executed) : all;
}

bool multiplies_in(const KernelPrediction& kernel, Arithmetic arithmetic) {
    const LayerProduct* const product = kernel.product();
    const LayerConvolution* const convolution = kernel.convolution();
    return (convolution != nullptr && convolution->problem.arithmetic == arithmetic) ||
           (product != nullptr && product->problem.arithmetic == arithmetic);
}

bool multiplies_in_tf32(const KernelPrediction& kernel) {
    return kernel.rates == RateClass::tf32 || multiplies_in(kernel, Arithmetic::tf32);
}

Seconds least_compute(const DeviceDescription& device, const Device& ceilings,
                      const LayerTask& task, const Kernels& kernels) {
    const Numerics& numerics = task.execution.numerics;
    const DeviceKind kind = device.kind;
    for (const Arithmetic narrow : {Arithmetic::f8, Arithmetic::i8}) {
        if (std::ranges::any_of(kernels,
                                [&](const auto& one) { return multiplies_in(one, narrow); })) {
            return executed_flops(kind, task, kernels) / peak_of(device, narrow);
        }
    }
    const bool is_narrowed = std::ranges::any_of(kernels, multiplies_in_tf32);
    const std::string_view dtype = task.pass == Pass::update ? "f32"
                                   : is_narrowed             ? name_of(SinglePrecision::tf32)
                                                             : name_of(numerics.dtype);
    const auto peak = peak_of(ceilings, dtype);
    return peak && *peak > FlopRate{} ? executed_flops(kind, task, kernels) / *peak : Seconds{};
}

void lengthen(Kernels& kernels, Term term, Seconds least) {
    const Seconds more = least - time_of(kernels);
    if (more > Seconds{}) {
        KernelPrediction& longest = *std::ranges::max_element(kernels, {}, &KernelPrediction::time);
        longest.terms[term] += more;
        longest.time += more;
    }
}

}  // namespace

Device ceilings_of(const DeviceDescription& described) {
    Device device{.name = described.name, .model = described.model};
    const auto& clock = described.boost_clock ? described.boost_clock : described.base_clock;
    if (const auto peak = derived_f32_peak(described, clock)) {
        device.compute.push_back({"f32", {*peak, described.lanes->source}});
    }
    if (described.kind == DeviceKind::tpu && described.bf16_peak) {  // products round to bf16
        device.compute.push_back({"f32", *described.bf16_peak});
    }
    add_peak(device.compute, "tf32", described.tf32_peak);
    add_peak(device.compute, "f16", described.f16_peak);
    add_peak(device.compute, "bf16", described.bf16_peak);
    add_peak(device.compute, "fp8", described.f8_peak);
    add_peak(device.compute, "int8", described.i8_peak);
    add_caches(described, device.memory);
    if (described.dram_bandwidth) {
        device.memory.push_back({"DRAM", {}, *described.dram_bandwidth});
    }
    return device;
}

LeastTraffic least_time(const Device& ceilings, Bytes traffic) {
    LeastTraffic least;
    Bytes held;
    for (std::size_t i = 0; i + 1 < ceilings.memory.size(); ++i) {
        const MemoryLevel& cache = ceilings.memory[i];
        least.cache = traffic / cache.bandwidth.value;
        held = std::max(held, cache.capacity.value_or(Bytes{}));
        if (traffic <= held) {
            return least;
        }
    }
    if (ceilings.memory.empty()) {
        return least;
    }
    least.memory = (traffic - held) / ceilings.memory.back().bandwidth.value;
    return least;
}

LayerPrediction predict_within(const DeviceModel& model, const Device& ceilings,
                               const LayerTask& task) {
    LayerPrediction found = model.predict(task);
    auto* kernels = std::get_if<Kernels>(&found);
    if (kernels == nullptr || kernels->empty()) {
        return found;
    }
    const Work work =
        work_of(task.op, task.signature, task.pass, cost_of(task.execution.numerics.optimizer));
    const LeastTraffic traffic = least_time(ceilings, work.traffic());
    lengthen(*kernels, Term::arithmetic, least_compute(model.device(), ceilings, task, *kernels));
    lengthen(*kernels, Term::l2, traffic.cache);
    lengthen(*kernels, Term::dram, traffic.memory);
    return found;
}

}  // namespace strata
