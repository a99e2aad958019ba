// SPDX-License-Identifier: MIT
#include "predict/gpu_rates.h"

#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "predict/stated_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Kernels of one layer's pass follow one another at this distance: RRZE-HPC's gpu-benches measured
// 2 to 3 µs on an A100 and 2.5 µs on a GH200.
constexpr Seconds queued_launch{2.5e-6};

Hertz clock_of_gpu(const DeviceDescription& device) {
    return (device.boost_clock ? device.boost_clock : device.base_clock)->value;
}

double cycles_together(const DeviceDescription& device) {
    return device.processors->value.value * clock_of_gpu(device).value;
}

// NVIDIA's architectures in the order of their years.
constexpr std::array<std::string_view, 9> architectures = {
    "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"};

// From Volta on, arithmetic on whole numbers and numbers with a point is issued side by side, and
// L1 cache and shared memory are one: rates of either side say little of the other. (Of the V100 by
// the A100's, products are 9 % off, by priors 13 %, and layer normalisation 9 to 17 % against 41 to
// 43 %; the A100 by the V100's likewise; by the P100's, 27 %.)
bool are_comparable(std::ptrdiff_t one, std::ptrdiff_t other) {
    constexpr std::ptrdiff_t volta = 3;
    return (one < volta) == (other < volta);
}

// Nothing for another maker's.
std::optional<std::ptrdiff_t> rank_of_architecture(const DeviceDescription& device) {
    const auto* const found = std::ranges::find(architectures, device.architecture);
    return found == architectures.end() ? std::nullopt
                                        : std::optional(found - architectures.begin());
}

// How different two GPUs are: first in their years, then in what their processors are (GP100's and
// GP104's are both called Pascal). Of those alike, the one whose rates fit it best comes first.
struct Difference {
    std::ptrdiff_t generations = 0;
    double kind = 0;
    double own_error = 0;

    auto operator<=>(const Difference&) const = default;
};

// The names under which a class of ours may have been fitted, best first.
std::vector<std::string> fitted_names(RateClass rates) {
    const std::string own(name_of(rates));
    return rates == RateClass::linear    ? std::vector<std::string>{own, "gemm fp32", "bmm"}
           : rates == RateClass::batched ? std::vector<std::string>{own, "gemm fp32", "linear"}
           : rates == RateClass::convolution
               ? std::vector<std::string>{"gemm fp32", "bmm", "linear"}
               : std::vector<std::string>{own};
}

template <class Rates>
const Rates* find_rates(const std::map<std::string, Rates, std::less<>>& all, RateClass wanted,
                        std::string& name) {
    for (const std::string& candidate : fitted_names(wanted)) {
        if (const auto found = all.find(candidate); found != all.end()) {
            name = candidate;
            return &found->second;
        }
    }
    return nullptr;
}

void scale_latency(GemmRates& rates, double factor) {
    const auto faster = [&](KernelRates& kernel) {
        kernel.step = kernel.step / factor;
        kernel.epilogue = kernel.epilogue / factor;
    };
    faster(rates.usual);
    for (auto& [name, kernel] : rates.kernels) {
        faster(kernel);
    }
    rates.split = rates.split / factor;
}

void scale_latency(StreamingRates& rates, double factor) {
    rates.row = rates.row / factor;
    rates.element = rates.element / factor;
}

void scale_hidden(StreamingRates& rates, double factor) {
    rates.hidden *= factor;
    rates.edge *= factor;
}

// What was fitted on another device, at this one's clock and with its processors.
void carry_over(GemmRates& rates, const DeviceDescription& from, const DeviceDescription& to) {
    scale_latency(rates, clock_of_gpu(to) / clock_of_gpu(from));
    rates.l2 *= cycles_together(to) / cycles_together(from);
}

void carry_over(StreamingRates& rates, const DeviceDescription& from, const DeviceDescription& to) {
    scale_latency(rates, clock_of_gpu(to) / clock_of_gpu(from));
    scale_hidden(rates, to.dram_bandwidth->value / from.dram_bandwidth->value);
}

// The other devices that have rates and are comparable, the most similar first.
std::vector<DeviceDescription> relatives_of(const DeviceDescription& device) {
    const auto own = rank_of_architecture(device);
    std::vector<std::pair<Difference, DeviceDescription>> found;
    for (const EmbeddedFile& file : rate_files()) {
        auto other = description_called(file.name);
        const auto theirs = other ? rank_of_architecture(*other) : std::nullopt;
        if (own && theirs && other->lanes && other->name != device.name &&
            are_comparable(*own, *theirs)) {
            const Difference difference{
                .generations = std::abs(*own - *theirs),
                .kind = std::abs(std::log(other->lanes->value / device.lanes->value)),
                .own_error = mean_stated_error(other->name)};
            found.emplace_back(difference, *std::move(other));
        }
    }
    std::ranges::stable_sort(found, {}, &std::pair<Difference, DeviceDescription>::first);
    std::vector<DeviceDescription> relatives;
    for (auto& [difference, other] : found) {
        relatives.push_back(std::move(other));
    }
    return relatives;
}

// Where rates are looked for: the device's own file, those that are shipped, its relatives'.
struct RatePlace {
    RateOrigin origin;
    DeviceDescription device;
    DeviceRates rates;
};

std::vector<RatePlace> places_for(const DeviceDescription& device) {
    std::vector<RatePlace> places = {{RateOrigin::fitted, device, own_rates_of(device.name)},
                                     {RateOrigin::shipped, device, shipped_rates_of(device.name)}};
    for (DeviceDescription& other : relatives_of(device)) {
        DeviceRates rates = shipped_rates_of(other.name);
        places.push_back({RateOrigin::related, std::move(other), std::move(rates)});
    }
    return places;
}

// The first place that has the class; the prior where none has it.
template <class Rates>
Rates rates_in(const std::vector<RatePlace>& places,
               std::map<std::string, Rates, std::less<>> DeviceRates::*kind, RateClass wanted,
               const DeviceDescription& device, Rates prior, RateSource& source) {
    for (const RatePlace& place : places) {
        std::string name;
        if (const Rates* found = find_rates(place.rates.*kind, wanted, name)) {
            source = {place.origin, place.device.name, std::move(name)};
            Rates rates = *found;
            if (place.origin == RateOrigin::related) {
                carry_over(rates, place.device, device);
            }
            return rates;
        }
    }
    source = {};
    return prior;
}

// The description's number as it was and as it is, as a factor; 1 where it was absent.
template <class Q>
double factor_between(const std::optional<Fact<Q>>& before, const std::optional<Fact<Q>>& after) {
    return before && after ? after->value / before->value : 1;
}

void change_launch(Gpu& gpu, std::string_view value) {
    const auto factor = value.ends_with('x')
                            ? parse_with_unit(value.substr(0, value.size() - 1), "")
                            : std::nullopt;
    const auto seconds = parse_with_unit(value, "s");
    if (!factor && !seconds) {
        throw Error(
            fmt::format("launch: '{}' is not a time, nor a factor such as 0.5x", printable(value)),
            ExitCode::usage);
    }
    if (factor) {
        scale(gpu, Resource::launch, 1 / *factor);
        return;
    }
    for (ProductRates& product : gpu.rates.products) {
        product.rates.launch = Seconds{*seconds};
    }
    for (StreamingRates& stream : gpu.rates.streaming) {
        scale_hidden(stream, *seconds / stream.launch.value);
        stream.launch = Seconds{*seconds};
    }
    gpu.rates.gap = std::min(gpu.rates.gap, Seconds{*seconds});
}

}  // namespace

StreamingRates queued(const StreamingRates& rates, Seconds gap) {
    StreamingRates found = rates;
    found.launch = std::min(rates.launch, gap);
    scale_hidden(found, found.launch / rates.launch);
    return found;
}

GpuRates gpu_rates_of(const DeviceDescription& device) {
    if (!device.lanes) {
        throw Error(
            fmt::format("{} has no lanes, which a prediction of products needs; add them "
                        "to its description",
                        device.name));
    }
    GpuRates found;
    const std::vector<RatePlace> places = places_for(device);
    for (std::size_t i = 0; i < rate_classes; ++i) {
        const auto wanted = static_cast<RateClass>(i);
        if (i < product_classes) {
            GemmRates rates = rates_in(places, &DeviceRates::gemm, wanted, device,
                                       prior_gemm_rates(device), found.sources[i]);
            std::vector<GemmKernel> candidates = candidate_kernels(rates);
            found.products[i] = {std::move(rates), std::move(candidates)};
        } else {
            found.streaming[i] = rates_in(places, &DeviceRates::streaming, wanted, device,
                                          StreamingRates(), found.sources[i]);
        }
    }
    found.gap = queued_launch;
    return found;
}

void scale(Gpu& gpu, Resource resource, double factor) {
    const auto each_product = [&](auto&& change) {
        std::ranges::for_each(gpu.rates.products, [&](ProductRates& p) { change(p.rates); });
    };
    const auto each_stream = [&](auto&& change) {
        std::ranges::for_each(gpu.rates.streaming, change);
    };
    switch (resource) {
        case Resource::compute:
            gpu.device.lanes->value *= factor;
            break;
        case Resource::latency:
            each_product([&](GemmRates& rates) { scale_latency(rates, factor); });
            each_stream([&](StreamingRates& rates) { scale_latency(rates, factor); });
            break;
        case Resource::l2_bandwidth:
            each_product([&](GemmRates& rates) { rates.l2 *= factor; });
            break;
        case Resource::l2_size:
            if (gpu.device.l2) {
                gpu.device.l2->value *= factor;
            }
            break;
        case Resource::dram_bandwidth:
            gpu.device.dram_bandwidth->value *= factor;
            each_stream([&](StreamingRates& rates) { scale_hidden(rates, factor); });
            break;
        case Resource::launch:
            each_product([&](GemmRates& rates) { rates.launch = rates.launch / factor; });
            each_stream([&](StreamingRates& rates) {
                rates.launch = rates.launch / factor;
                scale_hidden(rates, 1 / factor);
            });
            gpu.rates.gap = gpu.rates.gap / factor;
            break;
    }
}

void apply(Gpu& gpu, const DeviceChanges& changes) {
    const DeviceDescription before = gpu.device;
    for (const std::string& text : changes) {
        const auto equals = text.find('=');
        if (equals != std::string::npos &&
            trim(std::string_view(text).substr(0, equals)) == "launch") {
            change_launch(gpu, trim(std::string_view(text).substr(equals + 1)));
        } else {
            change(gpu.device, text);
        }
    }
    const DeviceDescription changed = gpu.device;
    // (`scale` changes the description as well, which has the new numbers already.)
    const double clock = clock_of_gpu(changed) / clock_of_gpu(before);
    const double l2 = factor_between(before.l2_bandwidth, changed.l2_bandwidth);
    scale(gpu, Resource::latency, clock);
    scale(gpu, Resource::l2_bandwidth, l2 == 1 ? clock : l2);
    scale(gpu, Resource::dram_bandwidth,
          factor_between(before.dram_bandwidth, changed.dram_bandwidth));
    gpu.device = changed;
}

}  // namespace strata
