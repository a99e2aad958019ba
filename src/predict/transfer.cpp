// SPDX-License-Identifier: MIT
#include "predict/transfer.h"

#include "base/error.h"
#include "predict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace strata {

namespace {

constexpr std::size_t most_rows = 400;  // a fit to this many takes seconds

Hertz clock_of_device(const DeviceDescription& device) {
    const auto& clock = device.boost_clock ? device.boost_clock : device.base_clock;
    check(clock.has_value(), "a device whose rates move to another has a clock");
    return clock->value;
}

// Another device, and the rows measured on it.
struct Elsewhere {
    DeviceDescription device;
    double library = 0;  // for convolutions
    std::vector<ProblemRow> rows = {};
};

std::vector<Elsewhere> devices_of(std::span<const ProblemRow* const> rows) {
    std::map<std::string, Elsewhere, std::less<>> found;
    const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
    for (std::size_t i = 0; i < rows.size(); i += step) {
        const ProblemRow& row = *rows[i];
        auto at = found.find(row.device);
        if (at == found.end()) {
            auto device = description_called(row.device);
            check(device.has_value(), "rates are fitted to rows of described devices");
            at = found.emplace(row.device, Elsewhere{*std::move(device)}).first;
        }
        at->second.rows.push_back(with_general_kernel(row));
    }
    std::vector<Elsewhere> devices;
    for (auto& [name, elsewhere] : found) {
        devices.push_back(std::move(elsewhere));
    }
    return devices;
}

// The prior for a generation's gain in launch time or efficiency.
constexpr double usual_gain = 1.1;
constexpr double gain_pull = 1;

// Launches take host time and are faster on later devices; the fit finds by how much.
Seconds launch_on(Seconds launch, const DeviceDescription& from, const DeviceDescription& to,
                  double gain) {
    return launch * std::pow(gain, generation_of(from) - generation_of(to));
}

// Fits rates of `device` so that, converted by `rates_on`, they predict each other device's rows.
void fit_all(const std::vector<Elsewhere>& devices, std::span<const FitParameter> parameters,
             const std::function<DeviceRates(const Elsewhere&)>& rates_on) {
    std::vector<double> measured;
    for (const Elsewhere& elsewhere : devices) {
        for (const ProblemRow& row : elsewhere.rows) {
            measured.push_back(row.measured->value);
        }
    }
    fit(parameters, measured, [&](std::span<double> predicted) {
        std::size_t at = 0;
        for (const Elsewhere& elsewhere : devices) {
            const DeviceRates rates = rates_on(elsewhere);
            for (const ProblemRow& row : elsewhere.rows) {
                predicted[at++] = predict_row(row, elsewhere.device, rates).value;
            }
        }
    });
}

GemmRates products_elsewhere(const std::vector<Elsewhere>& devices, const std::string& name,
                             const DeviceDescription& device) {
    GemmRates rates = prior_gemm_rates(device);
    for (const Elsewhere& elsewhere : devices) {
        for (const ProblemRow& row : elsewhere.rows) {
            if (const auto& kernel = std::get<GemmRow>(row.problem).kernel) {
                ++rates.kernels.try_emplace(kernel->name, rates.usual).first->second.rows;
            }
        }
    }
    std::vector<FitParameter> parameters = parameters_of(rates);
    double gain = usual_gain;
    parameters.push_back({.value = &gain, .pull = gain_pull});
    fit_all(devices, parameters, [&](const Elsewhere& elsewhere) {
        GemmRates there = moved(rates, device, elsewhere.device);
        there.launch = launch_on(rates.launch, device, elsewhere.device, gain);
        return DeviceRates{.gemm = {{name, std::move(there)}}};
    });
    return rates;
}

StreamingRates streaming_elsewhere(const std::vector<Elsewhere>& devices, const std::string& name,
                                   const DeviceDescription& device) {
    StreamingRates rates = prior_streaming_rates(device);
    std::vector<FitParameter> parameters = parameters_of(rates);
    double gain = usual_gain;
    parameters.push_back({.value = &gain, .pull = gain_pull});
    fit_all(devices, parameters, [&](const Elsewhere& elsewhere) {
        StreamingRates there = moved(rates, device, elsewhere.device);
        there.launch = launch_on(rates.launch, device, elsewhere.device, gain);
        return DeviceRates{.streaming = {{name, there}}};
    });
    return rates;
}

double library_of(const DeviceDescription& device, const std::string& name, ConvolutionPass pass) {
    const DeviceRates known = rates_of(device.name);
    const auto found = known.convolution.find(name);
    return found == known.convolution.end() ? prior_convolution_rates(device, pass).library
                                            : found->second.library;
}

ConvolutionRates convolutions_elsewhere(std::vector<Elsewhere> devices, const std::string& name,
                                        const DeviceDescription& device) {
    const ConvolutionPass pass =
        std::get<ConvolutionRow>(devices.front().rows.front().problem).problem.pass;
    for (Elsewhere& elsewhere : devices) {
        elsewhere.library = library_of(elsewhere.device, name, pass);
    }
    ConvolutionRates rates =
        with_library(prior_convolution_rates(device, pass), pass, library_of(device, name, pass));
    std::vector<FitParameter> parameters = parameters_of(rates);
    double gain = usual_gain;
    parameters.push_back({.value = &gain, .pull = gain_pull});
    const auto gaining = [](const DeviceDescription& of) {
        return std::min(generation_of(of), last_gaining_generation);
    };
    fit_all(devices, parameters, [&](const Elsewhere& elsewhere) {
        ConvolutionRates there = later(rates, gaining(elsewhere.device) - gaining(device), gain);
        there.library = elsewhere.library;
        return DeviceRates{.convolution = {{name, there}}};
    });
    return rates;
}

}  // namespace

std::string_view maker_of(const DeviceDescription& device) {
    constexpr std::array nvidia = {"kepler", "maxwell", "pascal", "volta",    "turing",
                                   "ampere", "ada",     "hopper", "blackwell"};
    if (std::ranges::find(nvidia, device.architecture) != nvidia.end()) {
        return "nvidia";
    }
    return device.architecture == "vega" ? "amd" : "";
}

GemmRates moved(GemmRates rates, const DeviceDescription& from, const DeviceDescription& to) {
    rates.l2 = rates.l2 * (assumed_l2_bandwidth(to) / assumed_l2_bandwidth(from));
    const double slower = clock_of_device(from) / clock_of_device(to);
    rates.store = rates.store * slower;
    rates.ramp *= to.dram_bandwidth->value / from.dram_bandwidth->value;
    const double sustained = sustained_share(to) / sustained_share(from);
    const auto move = [&](KernelRates& kernel) {
        kernel.efficiency *= sustained;
        kernel.step = kernel.step * slower;
        kernel.epilogue = kernel.epilogue * slower;
    };
    move(rates.usual);
    for (auto& [name, kernel] : rates.kernels) {
        move(kernel);
    }
    return rates;
}

StreamingRates moved(StreamingRates rates, const DeviceDescription& from,
                     const DeviceDescription& to) {
    // The traffic that a launch hides is the traffic during its time.
    const double wider = to.dram_bandwidth->value / from.dram_bandwidth->value;
    rates.hidden = rates.hidden * wider;
    rates.edge = rates.edge * wider;
    const double slower = clock_of_device(from) / clock_of_device(to);
    if (from.l2 && to.l2) {
        rates.resident = rates.resident * (to.l2->value / from.l2->value);
    }
    rates.row = rates.row * slower;
    rates.element = rates.element * slower;
    return rates;
}

bool can_move(const ProblemRow& row) {
    return std::holds_alternative<GemmRow>(row.problem) ||
           std::holds_alternative<ConvolutionRow>(row.problem) ||
           std::holds_alternative<StreamingProblem>(row.problem);
}

ProblemRow with_general_kernel(ProblemRow row) {
    if (auto* product = std::get_if<GemmRow>(&row.problem); product && product->kernel) {
        const bool is_sliced = product->kernel->name.find("sliced") != std::string::npos;
        product->kernel->name = fmt::format("{}{}x{}", is_sliced ? "sliced_" : "",
                                            product->kernel->tile_n, product->kernel->tile_m);
    }
    return row;
}

DeviceRates fit_elsewhere(std::span<const ProblemRow* const> rows,
                          const DeviceDescription& device) {
    check(!rows.empty() && can_move(*rows.front()), "rates that move are fitted to measured rows");
    const std::vector<Elsewhere> devices = devices_of(rows);
    const std::string& name = rows.front()->problem_class;
    const auto& problem = rows.front()->problem;
    if (std::holds_alternative<GemmRow>(problem)) {
        return {.gemm = {{name, products_elsewhere(devices, name, device)}}};
    }
    if (std::holds_alternative<ConvolutionRow>(problem)) {
        return {.convolution = {{name, convolutions_elsewhere(devices, name, device)}}};
    }
    return {.streaming = {{name, streaming_elsewhere(devices, name, device)}}};
}

}  // namespace strata
