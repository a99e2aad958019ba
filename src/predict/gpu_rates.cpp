// SPDX-License-Identifier: MIT
#include "predict/gpu_rates.h"

#include "base/error.h"
#include "base/text.h"
#include "predict/layer_products.h"
#include "predict/quantized.h"
#include "predict/stated_error.h"
#include "predict/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace strata {

namespace {

// The time between two kernels of one layer's pass: RRZE-HPC's gpu-benches measured 2 to 3 µs on an
// A100 and 2.5 µs on a GH200.
constexpr Seconds queued_launch{2.5e-6};

Hertz clock_of_gpu(const DeviceDescription& device) {
    return (device.boost_clock ? device.boost_clock : device.base_clock)->value;
}

// NVIDIA's architectures in the order of their years, and AMD's with matrix units.
constexpr std::array<std::string_view, 12> architectures = {
    "kepler", "maxwell", "pascal",    "volta", "turing", "ampere",
    "ada",    "hopper",  "blackwell", "cdna2", "cdna3",  "cdna4"};

// Since Volta, integer and floating-point arithmetic issue side by side, and L1 cache and shared
// memory are one, so rates from before say little about devices since, and vice versa. (For the
// V100 by the A100's rates, products are 9 % off, by priors 13 %, and layer normalisation 9 to 17 %
// against 41 to 43 %; the A100 by the V100's likewise; by the P100's, 27 %.)
bool are_comparable(std::ptrdiff_t one, std::ptrdiff_t other) {
    constexpr std::ptrdiff_t volta = 3, cdna = 9;
    return (one < volta) == (other < volta) && (one < cdna) == (other < cdna);
}

// Nothing for other makers.
std::optional<std::ptrdiff_t> rank_of_architecture(const DeviceDescription& device) {
    const auto* const found = std::ranges::find(architectures, device.architecture);
    return found == architectures.end() ? std::nullopt
                                        : std::optional(found - architectures.begin());
}

// How different two GPUs are: by their years, then by their processors (GP100 and GP104 are both
// called Pascal). Of equally similar GPUs, the one that its own rates fit best comes first.
struct Difference {
    long criterion = 0;  // Likeness, in doublings
    std::ptrdiff_t generations = 0;
    double kind = 0;
    double own_error = 0;

    auto operator<=>(const Difference&) const = default;
};

// The places to look for rates: the device's own file, the shipped files, its relatives'.
struct RatePlace {
    RateOrigin origin;
    DeviceDescription device;
    DeviceRates rates;
};

// The names under which one of our classes may have been fitted, to the device itself or to another
// one, best first.
std::vector<std::string> fitted_names(RateClass rates, bool is_own) {
    const std::string own(name_of(rates));
    switch (rates) {
        case RateClass::linear:
            return {own, "gemm fp32", "bmm"};
        case RateClass::batched:
            return {own, "gemm fp32", "linear"};
        case RateClass::convolution:
            return {"gemm fp32", "bmm", "linear"};
        case RateClass::tf32:
        case RateClass::fp8:
        case RateClass::int8:
            return {own, std::string(products_of_16_bits)};
        case RateClass::convolution_forward:
            // (With PyTorch's share, which is larger than the error of another device's own class.)
            return is_own ? std::vector<std::string>{own, "convolution"} : std::vector{own};
        default:
            return {own};
    }
}

template <class Rates>
const Rates* find_rates(const std::map<std::string, Rates, std::less<>>& all, RateClass wanted,
                        bool is_own, std::string& name) {
    for (const std::string& candidate : fitted_names(wanted, is_own)) {
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
    rates.store = rates.store / factor;
    rates.ramp = rates.ramp / factor;
}

void scale_latency(StreamingRates& rates, double factor) {
    rates.row = rates.row / factor;
    rates.element = rates.element / factor;
}

void scale_latency(ConvolutionRates& rates, double factor) {
    rates.latency /= factor;
    rates.split = rates.split / factor;
    rates.start = rates.start / factor;
}

void scale_latency(RecurrentRates& rates, double factor) {
    for (StepRates& step : rates.by_batch) {
        step.multiply = step.multiply / factor;
    }
}

void scale_latency(FusedRates& rates, double factor) {
    rates.block = rates.block / factor;
    rates.step = rates.step / factor;
    rates.split = rates.split / factor;
    rates.sequence = rates.sequence / factor;
}

void scale_hidden(StreamingRates& rates, double factor) {
    rates.hidden *= factor;
    rates.edge *= factor;
}

// A launch hides the memory traffic during it.
void scale_launch(StreamingRates& rates, double factor) {
    rates.launch = rates.launch / factor;
    scale_hidden(rates, 1 / factor);
}

void scale_launch(GemmRates& rates, double factor) {
    rates.launch = rates.launch / factor;
}

void scale_launch(ConvolutionRates& rates, double factor) {
    rates.launch = rates.launch / factor;
    rates.transform_launches = rates.transform_launches / factor;
}

void scale_launch(RecurrentRates& rates, double factor) {
    rates.launch = rates.launch / factor;
    rates.first_step = rates.first_step / factor;
    for (Seconds& step : rates.step) {
        step = step / factor;
    }
}

void scale_launch(FusedRates& rates, double factor) {
    rates.launch = rates.launch / factor;
}

// A launch takes time on a host of the device's era: from NeuSight's P100 to its V100, launches
// became 1.4 times as fast, and from there to its A100 1.25 times.
double faster_launches(const DeviceDescription& from, const DeviceDescription& to) {
    constexpr double gain = 1.2;
    return std::pow(gain, generation_of(to) - generation_of(from));
}

// Another device's fitted rates, converted to this one.
GemmRates carried_over(const GemmRates& rates, const DeviceDescription& from,
                       const DeviceDescription& to) {
    GemmRates found = moved(rates, from, to);
    // A share above the whole bandwidth accounts for counted traffic that the first device's cache
    // saves. A smaller cache may not save it, and it is not counted for wide boards.
    const bool saves_less = to.l2 && from.l2 && to.l2->value < from.l2->value;
    if (saves_less || shares_both_operands(to)) {
        constexpr double usual_overlap = 2;
        const bool is_more = found.dram_efficiency > 1;
        found.dram_efficiency = std::min(found.dram_efficiency, 1.0);
        found.overlap = is_more ? std::max(found.overlap, usual_overlap) : found.overlap;
    }
    found.split = found.split * (clock_of_gpu(from) / clock_of_gpu(to));
    scale_launch(found, faster_launches(from, to));
    return found;
}

StreamingRates carried_over(const StreamingRates& rates, const DeviceDescription& from,
                            const DeviceDescription& to) {
    StreamingRates found = moved(rates, from, to);
    scale_launch(found, faster_launches(from, to));
    return found;
}

// (Most are relative to the device's description. The library is that of the device's era.)
ConvolutionRates carried_over(ConvolutionRates rates, const DeviceDescription& from,
                              const DeviceDescription& to) {
    rates.library = prior_convolution_rates(to, ConvolutionPass::forward).library;
    const double sustained = sustained_share(to) / sustained_share(from);
    for (double* const efficiency :
         {&rates.tile_128x128, &rates.tile_128x64, &rates.tile_128x32, &rates.tile_64x64,
          &rates.fused_winograd, &rates.direct, &rates.depthwise, &rates.fft}) {
        *efficiency *= sustained;
    }
    rates.batched_products *= sustained;
    rates.start = rates.start * (clock_of_gpu(from) / clock_of_gpu(to));
    scale_launch(rates, faster_launches(from, to));
    return rates;
}

RecurrentRates carried_over(RecurrentRates rates, const DeviceDescription& from,
                            const DeviceDescription& to) {
    scale_latency(rates, clock_of_gpu(to) / clock_of_gpu(from));
    const double sustained = sustained_share(to) / sustained_share(from);
    for (StepRates& step : rates.by_batch) {
        step.efficiency *= sustained;
    }
    return rates;
}

// (Launches were measured in graphs, where they take no host time.)
FusedRates carried_over(FusedRates rates, const DeviceDescription& from,
                        const DeviceDescription& to) {
    scale_latency(rates, clock_of_gpu(to) / clock_of_gpu(from));
    return rates;
}

// The criterion by which devices are most similar.
enum class Likeness { architecture, shared_memory, matrix_width, library };

// Shared memory limits the blocks of fused attention, so boards with HBM (164 and 228 KiB per
// processor) resemble each other more than a board with 100 KiB of a nearer architecture.
constexpr Likeness likeness_in_attention = Likeness::shared_memory;

// Products are made of the matrix units' own tiles: a B200 (4,096 multiply-adds per processor and
// clock) resembles an H100 (2,048) more than a board of its architecture with 512.
constexpr Likeness likeness_in_matrix_units = Likeness::matrix_width;

// Convolutions are the kernels of a library's era: cuDNN 8 and later, which devices since Ampere
// are taken to have, share few with cuDNN 7.
constexpr Likeness likeness_in_convolutions = Likeness::library;

// The rounded number of doublings between two numbers; 0 if one is not stated.
template <class Q>
long doublings_between(const std::optional<Fact<Q>>& one, const std::optional<Fact<Q>>& other) {
    return one && other ? std::lround(std::abs(std::log2(one->value / other->value))) : 0;
}

// The multiply-adds in 16 bits per processor and clock; nothing if a fact is missing.
std::optional<Fact<Count>> matrix_width(const DeviceDescription& device) {
    if (!device.f16_peak || !device.processors) {
        return {};
    }
    const double clocks = device.processors->value.value * clock_of_gpu(device).value;
    return Fact<Count>{.value = {device.f16_peak->value.value / (2 * clocks)}, .source = {}};
}

bool has_later_library(const DeviceDescription& device) {
    return generation_of(device) > last_gaining_generation;
}

// How far apart two devices are by the criterion itself, in doublings.
long doublings_by(Likeness likeness, const DeviceDescription& one, const DeviceDescription& other) {
    switch (likeness) {
        case Likeness::architecture:
            return 0;
        case Likeness::shared_memory:
            return doublings_between(one.shared_memory, other.shared_memory);
        case Likeness::matrix_width:
            return doublings_between(matrix_width(one), matrix_width(other));
        case Likeness::library:
            return has_later_library(one) == has_later_library(other) ? 0 : 1;
    }
    return 0;
}

// The other comparable devices with rates, most similar first.
std::vector<DeviceDescription> relatives_of(const DeviceDescription& device, Likeness likeness) {
    const auto own = rank_of_architecture(device);
    std::vector<std::pair<Difference, DeviceDescription>> found;
    for (const EmbeddedFile& file : rate_files()) {
        auto other = description_called(file.name);
        const auto theirs = other ? rank_of_architecture(*other) : std::nullopt;
        if (own && theirs && other->lanes && other->name != device.name &&
            are_comparable(*own, *theirs)) {
            const Difference difference{
                .criterion = doublings_by(likeness, device, *other),
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

std::vector<RatePlace> places_for(const DeviceDescription& device, Likeness likeness) {
    std::vector<RatePlace> places = {{RateOrigin::fitted, device, own_rates_of(device.name)},
                                     {RateOrigin::shipped, device, shipped_rates_of(device.name)}};
    for (DeviceDescription& other : relatives_of(device, likeness)) {
        DeviceRates rates = shipped_rates_of(other.name);
        places.push_back({RateOrigin::related, std::move(other), std::move(rates)});
    }
    return places;
}

// The rates in the first place that has the class; the prior if none has it.
template <class Rates>
Rates rates_in(const std::vector<RatePlace>& places,
               std::map<std::string, Rates, std::less<>> DeviceRates::*kind, RateClass wanted,
               const DeviceDescription& device, Rates prior, GpuRates& all) {
    RateSource& source = all.sources[static_cast<std::size_t>(wanted)];
    for (const RatePlace& place : places) {
        std::string name;
        const bool is_own = place.origin != RateOrigin::related;
        if (const Rates* found = find_rates(place.rates.*kind, wanted, is_own, name)) {
            source = {place.origin, place.device.name, std::move(name)};
            return is_own ? *found : carried_over(*found, place.device, device);
        }
    }
    return prior;
}

// The first place's rates for a class of operators in 16 bits.
std::optional<StreamingRates> stream_in_16_bits(const std::vector<RatePlace>& places,
                                                RateClass wanted, const DeviceDescription& device) {
    const std::string name = std::string(name_of(wanted)) + std::string(in_16_bits);
    for (const RatePlace& place : places) {
        if (const auto found = place.rates.streaming.find(name);
            found != place.rates.streaming.end()) {
            return place.origin == RateOrigin::related
                       ? carried_over(found->second, place.device, device)
                       : found->second;
        }
    }
    return {};
}

// The first place's rates for a phase; the prior if none has it.
FusedRates fused_in(const std::vector<RatePlace>& places, AttentionPhase phase,
                    const DeviceDescription& device, GpuRates& all) {
    for (const RatePlace& place : places) {
        if (const FusedRates* const found = find_fused_rates(place.rates, phase)) {
            all.sources[static_cast<std::size_t>(RateClass::fused_attention)] = {
                place.origin, place.device.name, attention_class(phase, {})};
            return place.origin == RateOrigin::related ? carried_over(*found, place.device, device)
                                                       : *found;
        }
    }
    return prior_fused_rates(phase);
}

// Adds another device's classes that are missing here.
template <class Rates, class IsMeant>
void add_missing(const std::map<std::string, Rates, std::less<>>& theirs,
                 const DeviceDescription& from, const DeviceDescription& to,
                 std::map<std::string, Rates, std::less<>>& ours, IsMeant is_meant) {
    for (const auto& [name, rates] : theirs) {
        if (is_meant(name) && !ours.contains(name)) {
            ours.emplace(name, carried_over(rates, from, to));
        }
    }
}

// The factor from the description's old number to the new one; 1 if it was absent.
template <class Q>
double factor_between(const std::optional<Fact<Q>>& before, const std::optional<Fact<Q>>& after) {
    return before && after ? after->value / before->value : 1;
}

// Rows in 8 bits contain the kernels that narrow the inputs where the library has them (all of
// aiconfigurator's, data/rates/README.md); a fit has them in the launch, which is then several
// times that of 16 bits.
Seconds contained_narrowing(const GpuRates& rates, RateClass of_8_bits) {
    const auto launch = [&](RateClass one) { return rates.product(one).rates.launch; };
    const Seconds more = launch(of_8_bits) - launch(RateClass::low_precision);
    const std::string& fitted = rates.sources[static_cast<std::size_t>(of_8_bits)].name;
    return fitted == name_of(of_8_bits) && more > queued_launch ? more : Seconds{};
}

// Changes the rates of all streaming operators.
template <class Change>
void each_stream(GpuRates& rates, Change&& change) {
    std::ranges::for_each(rates.streaming, change);
    for (std::optional<StreamingRates>& some : rates.streaming_in_16_bits) {
        if (some) {
            change(*some);
        }
    }
}

// Changes all rates with a launch.
template <class Change>
void each_launched(GpuRates& rates, Change&& change) {
    std::ranges::for_each(rates.products, [&](ProductRates& one) { change(one.rates); });
    each_stream(rates, change);
    std::ranges::for_each(rates.convolutions, change);
    std::ranges::for_each(rates.recurrent, change);
    std::ranges::for_each(rates.attention, change);
}

void change_launch(Gpu& gpu, const LaunchChange& change) {
    if (const double* factor = std::get_if<double>(&change)) {
        scale(gpu, Resource::launch, 1 / *factor);
        return;
    }
    const Seconds launch = std::get<Seconds>(change);
    each_launched(gpu.rates, [&](auto& rates) { scale_launch(rates, rates.launch / launch); });
    if (gpu.rates.host) {
        gpu.rates.host = launch;
    }
    gpu.rates.gap = std::min(gpu.rates.gap, launch);
}

ConvolutionPass pass_of_class(std::size_t place) {
    return static_cast<ConvolutionPass>(place % names_of(ConvolutionPass{}).size());
}

// The library whose kernels convolutions use, by its major version.
void change_library(Gpu& gpu, std::string_view value) {
    const auto library = parse_integer(value);
    constexpr std::int64_t first = 1, last = 99;
    if (!library || *library < first || *library > last) {
        throw Error(fmt::format("cudnn: '{}' is no version, such as 5 or 9", printable(value)),
                    ExitCode::usage);
    }
    for (std::size_t i = 0; i < convolution_classes; ++i) {
        gpu.rates.convolutions[i] = with_library(gpu.rates.convolutions[i], pass_of_class(i),
                                                 static_cast<double>(*library));
    }
}

// How f32 is multiplied, beside what every run says of its numerics.
void change_single_precision(Gpu& gpu, std::string_view value) {
    if (value != "convolutions") {
        throw Error(fmt::format("tf32: '{}' is unknown; tf32=convolutions computes convolutions of "
                                "f32 in TF32, as PyTorch does by default",
                                printable(value)),
                    ExitCode::usage);
    }
    peak_of(gpu.device, Arithmetic::tf32);
    gpu.rates.convolves_in_tf32 = true;
}

// Launches that were fitted with another host are no longer than this one's. Where only the device
// is known, they are as short as can be.
void change_framework(Gpu& gpu, std::string_view name) {
    const Framework& framework = framework_called(name);
    const bool is_usual = &framework == &frameworks().front();
    if (!gpu.rates.host && !is_usual) {
        throw Error(fmt::format("framework: no measurement says what a host of {} needs with {}: "
                                "leave it out, or give the time of a launch with --set launch=25us",
                                gpu.device.name, framework.name),
                    ExitCode::usage);
    }
    gpu.rates.framework = &framework;
    gpu.rates.cast = Framework::on_host_of(gpu.device, framework.cast);
    const Seconds pass = Framework::on_host_of(gpu.device, framework.pass).value_or(gpu.rates.gap);
    if (!gpu.rates.host || pass == *gpu.rates.host) {
        return;
    }
    gpu.rates.host = pass;
    each_launched(gpu.rates,
                  [&](auto& rates) { scale_launch(rates, std::max(rates.launch / pass, 1.0)); });
}

// Changes what a description does not have; returns false if the change is another one.
bool change_rates(Gpu& gpu, std::string_view text) {
    if (const auto launch = value_for("launch", text)) {
        change_launch(gpu, launch_change(*launch));
        return true;
    }
    if (const auto library = value_for("cudnn", text)) {
        change_library(gpu, *library);
        return true;
    }
    if (const auto name = value_for("framework", text)) {
        change_framework(gpu, *name);
        return true;
    }
    if (const auto type = value_for("products", text)) {
        peak_of(gpu.device,
                *arithmetic_of(product_type(*type)));  // the network has the type itself
        return true;
    }
    if (const auto what = value_for("tf32", text)) {
        change_single_precision(gpu, *what);
        return true;
    }
    return false;
}

// Scales the lanes and the stated peaks of matrix units. (An assumed L2 bandwidth would follow the
// lanes, but it is a separate resource.)
void scale_compute(Gpu& gpu, double factor) {
    DeviceDescription& device = gpu.device;
    device.lanes->value *= factor;
    for (auto* const peak : {&device.tf32_peak, &device.f16_peak, &device.bf16_peak,
                             &device.f8_peak, &device.i8_peak}) {
        if (*peak) {
            (*peak)->value *= factor;
        }
    }
    for (FusedRates& rates : gpu.rates.attention) {
        rates.exponentials *= factor;
    }
    for (ConvolutionRates& rates : gpu.rates.convolutions) {
        rates.fed *= factor;
    }
    if (!device.l2_bandwidth) {
        for (ConvolutionRates& rates : gpu.rates.convolutions) {
            rates.l2 /= factor;
        }
    }
}

}  // namespace

StreamingRates queued(const StreamingRates& rates, Seconds gap) {
    StreamingRates found = rates;
    found.launch = std::min(rates.launch, gap);
    scale_hidden(found, found.launch / rates.launch);
    return found;
}

void add_rates_of_relatives(const DeviceDescription& device, DeviceRates& found) {
    if (device.kind != DeviceKind::gpu || !device.lanes) {
        return;
    }
    const auto is_any = [](std::string_view) { return true; };
    for (const DeviceDescription& other : relatives_of(device, Likeness::architecture)) {
        const DeviceRates theirs = shipped_rates_of(other.name);
        add_missing(theirs.gemm, other, device, found.gemm, std::not_fn(runs_in_matrix_units));
        add_missing(theirs.streaming, other, device, found.streaming, is_any);
        add_missing(theirs.recurrent, other, device, found.recurrent, is_any);
    }
    for (const DeviceDescription& other : relatives_of(device, likeness_in_convolutions)) {
        add_missing(shipped_rates_of(other.name).convolution, other, device, found.convolution,
                    is_any);
    }
    for (const DeviceDescription& other : relatives_of(device, likeness_in_matrix_units)) {
        add_missing(shipped_rates_of(other.name).gemm, other, device, found.gemm,
                    runs_in_matrix_units);
    }
    for (const DeviceDescription& other : relatives_of(device, likeness_in_attention)) {
        add_missing(shipped_rates_of(other.name).attention, other, device, found.attention, is_any);
    }
}

DeviceRates rates_for_problems(const DeviceDescription& device) {
    DeviceRates found = rates_of(device.name);
    add_rates_of_relatives(device, found);
    return found;
}

namespace {

// Adjusts rates from the description as it was `before` to the present device: latencies follow the
// clock, reached bandwidths the stated ones, and cached amounts the cache size. (Rates of
// convolutions and narrow loads are relative to the description.)
void follow_description(Gpu& gpu, const DeviceDescription& before) {
    const DeviceDescription device = gpu.device;
    const auto convolutions = gpu.rates.convolutions;
    // (`scale` also changes the description, which already has the new numbers.)
    scale(gpu, Resource::latency, clock_of_gpu(device) / clock_of_gpu(before));
    const double wider = assumed_l2_bandwidth(device) / assumed_l2_bandwidth(before);
    scale(gpu, Resource::l2_bandwidth, wider);
    std::ranges::for_each(gpu.rates.products,
                          [&](ProductRates& p) { p.rates.narrow_loads /= wider; });
    scale(gpu, Resource::l2_size, factor_between(before.l2, device.l2));
    scale(gpu, Resource::dram_bandwidth,
          factor_between(before.dram_bandwidth, device.dram_bandwidth));
    gpu.device = device;
    gpu.rates.convolutions = convolutions;
}

}  // namespace

Gpu gpu_of(const DeviceDescription& device) {
    const auto origin = origin_of_rates(device);
    if (!origin || !origin->lanes || !device.lanes) {
        return {device, gpu_rates_of(device)};
    }
    Gpu gpu{device, gpu_rates_of(*origin)};
    follow_description(gpu, *origin);
    return gpu;
}

GpuRates gpu_rates_of(const DeviceDescription& device) {
    if (!device.lanes) {
        throw Error(
            fmt::format("{} has no lanes, which a prediction of products needs; add them "
                        "to its description",
                        device.name));
    }
    GpuRates found;
    const std::vector<RatePlace> places = places_for(device, Likeness::architecture);
    const std::vector<RatePlace> wide = places_for(device, likeness_in_matrix_units);
    const std::vector<RatePlace> of_library = places_for(device, likeness_in_convolutions);
    for (std::size_t i = 0; i < product_classes; ++i) {
        const RateClass wanted = class_after(RateClass::linear, i);
        GemmRates rates =
            rates_in(wanted >= RateClass::low_precision ? wide : places, &DeviceRates::gemm, wanted,
                     device, prior_gemm_rates(device), found);
        const bool is_low =
            wanted >= RateClass::low_precision && has_matrix_units(device, Arithmetic::f16);
        rates.resident = 0;  // other layers have filled the cache since
        std::vector<GemmKernel> candidates =
            candidate_kernels(rates, is_low ? MultiplyUnits::matrix_units : MultiplyUnits::lanes);
        found.products[i] = {std::move(rates), std::move(candidates)};
    }
    for (std::size_t i = 0; i < stream_classes; ++i) {
        found.streaming[i] =
            rates_in(places, &DeviceRates::streaming, class_after(RateClass::add, i), device,
                     StreamingRates(), found);
        found.streaming_in_16_bits[i] =
            stream_in_16_bits(places, class_after(RateClass::add, i), device);
    }
    for (std::size_t i = 0; i < convolution_classes; ++i) {
        found.convolutions[i] = rates_in(of_library, &DeviceRates::convolution,
                                         class_after(RateClass::convolution_forward, i), device,
                                         prior_convolution_rates(device, pass_of_class(i)), found);
    }
    for (std::size_t i = 0; i < recurrent_classes; ++i) {
        found.recurrent[i] =
            rates_in(places, &DeviceRates::recurrent, class_after(RateClass::recurrent_forward, i),
                     device, prior_recurrent_rates(device), found);
    }
    const std::vector<RatePlace> alike = places_for(device, likeness_in_attention);
    for (std::size_t i = found.attention.size(); i-- > 0;) {  // last prefill, for its source
        found.attention[i] = fused_in(alike, static_cast<AttentionPhase>(i), device, found);
    }
    found.gap = queued_launch;
    found.narrowing_for_fp8 = contained_narrowing(found, RateClass::fp8);
    found.narrowing_for_int8 = contained_narrowing(found, RateClass::int8);
    // (Of hosts of devices before Volta nothing was fitted, so that the launches of their rates
    // hold.)
    found.host = Framework::on_host_of(device, frameworks().front().pass);
    return found;
}

void scale(Gpu& gpu, Resource resource, double factor) {
    GpuRates& rates = gpu.rates;
    const auto each = [&](auto&& change) { each_launched(rates, change); };
    switch (resource) {
        case Resource::compute:
            scale_compute(gpu, factor);
            break;
        case Resource::latency:
            each([&](auto& some) { scale_latency(some, factor); });
            break;
        case Resource::l2_bandwidth:
            std::ranges::for_each(rates.products, [&](ProductRates& p) {
                p.rates.l2 *= factor;
                p.rates.narrow_loads *= factor;
            });
            std::ranges::for_each(rates.convolutions,
                                  [&](ConvolutionRates& some) { some.l2 *= factor; });
            std::ranges::for_each(rates.attention, [&](FusedRates& some) { some.l2 *= factor; });
            break;
        case Resource::l2_size:
            if (gpu.device.l2) {
                gpu.device.l2->value *= factor;
            }
            each_stream(rates, [&](StreamingRates& some) { some.resident *= factor; });
            break;
        case Resource::dram_bandwidth:
            gpu.device.dram_bandwidth->value *= factor;
            std::ranges::for_each(rates.products, [&](ProductRates& p) { p.rates.ramp *= factor; });
            each_stream(rates, [&](StreamingRates& some) { scale_hidden(some, factor); });
            break;
        case Resource::launch:
            each([&](auto& some) { scale_launch(some, factor); });
            rates.gap = rates.gap / factor;
            for (std::optional<Seconds>* const of_host : {&rates.host, &rates.cast}) {
                if (*of_host) {
                    *of_host = **of_host / factor;
                }
            }
            break;
    }
}

void apply(Gpu& gpu, const DeviceChanges& changes) {
    const DeviceDescription before = gpu.device;
    for (const std::string& text : changes) {
        if (!change_rates(gpu, text)) {
            change(gpu.device, text);
        }
    }
    follow(before, gpu.device);
    follow_description(gpu, before);
}

}  // namespace strata
