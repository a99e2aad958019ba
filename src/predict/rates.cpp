// SPDX-License-Identifier: MIT
#include "predict/rates.h"

#include "base/data_home.h"
#include "base/error.h"
#include "base/small_file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "predict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// How strongly rates are held to their priors, in rows: enough that what no row speaks of stays,
// little beside a few rows that do.
constexpr double usual_pull = 0.02;

// In files, the name of the kernels that are not named.
constexpr std::string_view usual_kernel = "usual";

void require(const DeviceDescription& device, bool is_product) {
    if (is_product && !device.lanes) {
        throw Error(
            fmt::format("{} has no lanes, which a prediction of products needs; add them to "
                        "its description",
                        device.name));
    }
}

Seconds predict_product(const GemmRow& row, std::span<const GemmKernel> candidates,
                        const DeviceDescription& device, const GemmRates& rates) {
    const GemmKernel kernel =
        row.kernel ? *row.kernel : planned_kernel(row.problem, candidates, device, rates);
    return predict_gemm(row.problem, kernel, device, rates).time;
}

// A rate by its name in files, and how strongly a fit holds it.
struct NamedRate {
    std::string_view name;
    double* value;
    double pull = usual_pull;
};

std::vector<NamedRate> named_rates(GemmRates& rates) {
    return {{"launch_s", &rates.launch.value, 0.5 * usual_pull},
            {"l2_bytes_per_s", &rates.l2.value, 2 * usual_pull},
            {"dram_efficiency", &rates.dram_efficiency, 5 * usual_pull},
            {"overlap", &rates.overlap},
            {"split_s", &rates.split.value},
            {"cache_share", &rates.cache_share},
            {"scatter", &rates.scatter, 0.3 * usual_pull},
            {"scatter_pitch_bytes", &rates.scatter_pitch.value},
            {"span_bytes", &rates.span.value},
            {"span_power", &rates.span_power}};
}

std::vector<NamedRate> named_rates(KernelRates& rates) {
    return {{"efficiency", &rates.efficiency},
            {"step_s", &rates.step.value},
            {"epilogue_s", &rates.epilogue.value},
            {"half_saturation", &rates.half_saturation}};
}

// (Few rows speak of each, and boards are alike in most: they are held more strongly.)
std::vector<NamedRate> named_rates(ConvolutionRates& rates) {
    constexpr double held = 6, loose = 0.5, shared = 20;
    return {{"launch_s", &rates.launch.value, loose},
            {"overlap", &rates.overlap, held},
            {"l2", &rates.l2, held},
            {"dram_efficiency", &rates.dram_efficiency, held},
            {"half_saturation", &rates.half_saturation, held},
            {"ramp", &rates.ramp, loose},
            {"winograd_ramp", &rates.winograd_ramp, loose},
            {"tile_128x128", &rates.tile_128x128, loose},
            {"tile_128x64", &rates.tile_128x64, held},
            {"tile_128x32", &rates.tile_128x32, held},
            {"tile_64x64", &rates.tile_64x64, held},
            {"fused_winograd", &rates.fused_winograd, loose},
            {"batched_products", &rates.batched_products, held},
            {"transforms", &rates.transforms, held},
            {"filter_transforms", &rates.filter_transforms, held},
            {"transform_launches_s", &rates.transform_launches.value, held},
            {"pointwise", &rates.pointwise, held},
            {"few_channels", &rates.few_channels, held},
            {"strided", &rates.strided, held},
            {"scattered", &rates.scattered, held},
            {"direct", &rates.direct, shared},
            {"fft", &rates.fft, shared},
            {"split_s", &rates.split.value, held},
            {"split_efficiency", &rates.split_efficiency, held}};
}

std::vector<NamedRate> named_rates(StreamingRates& rates) {
    constexpr double weak = 0.5 * usual_pull;
    return {{"launch_s", &rates.launch.value, weak},     {"efficiency", &rates.efficiency, weak},
            {"hidden_bytes", &rates.hidden.value, weak}, {"edge_bytes", &rates.edge.value, weak},
            {"row_s", &rates.row.value, weak},           {"element_s", &rates.element.value, weak}};
}

template <class Rates>
void add_parameters(Rates& rates, std::vector<FitParameter>& parameters) {
    for (const NamedRate& rate : named_rates(rates)) {
        parameters.push_back({rate.value, rate.pull});
    }
}

std::vector<double> measured_of(std::span<const ProblemRow* const> rows) {
    std::vector<double> seconds;
    for (const ProblemRow* const row : rows) {
        check(row->measured.has_value(), "rates are fitted to measured rows");
        seconds.push_back(row->measured->value);
    }
    return seconds;
}

GemmRates fitted_products(std::span<const ProblemRow* const> rows,
                          const DeviceDescription& device) {
    GemmRates rates = prior_gemm_rates(device);
    for (const ProblemRow* const row : rows) {
        if (const auto& kernel = std::get<GemmRow>(row->problem).kernel) {
            ++rates.kernels.try_emplace(kernel->name, rates.usual).first->second.rows;
        }
    }
    const std::vector<FitParameter> parameters = parameters_of(rates);
    const std::vector<GemmKernel> candidates = candidate_kernels(rates);
    fit(parameters, measured_of(rows), [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_product(std::get<GemmRow>(rows[i]->problem), candidates, device, rates)
                    .value;
        }
    });
    return rates;
}

const ConvolutionRow& convolution_of(const ProblemRow& row) {
    return std::get<ConvolutionRow>(row.problem);
}

ConvolutionRates prior_of(const ProblemRow& row, const DeviceDescription& device) {
    return prior_convolution_rates(device, convolution_of(row).problem.pass);
}

// The fit with a library, and the sum of the errors' absolute logarithms that it leaves.
std::pair<ConvolutionRates, double> fitted_with(std::span<const ProblemRow* const> rows,
                                                const DeviceDescription& device, double library) {
    ConvolutionRates rates = with_library(prior_of(*rows.front(), device),
                                          convolution_of(*rows.front()).problem.pass, library);
    const std::vector<FitParameter> parameters = parameters_of(rates);
    std::vector<std::vector<ConvolutionKernel>> candidates;
    for (const ProblemRow* const row : rows) {
        const ConvolutionRow& problem = convolution_of(*row);
        candidates.push_back(candidate_kernels(problem.problem, library, problem.kernel));
    }
    const auto predict = [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_fastest(convolution_of(*rows[i]).problem, candidates[i], device, rates)
                    .time.value;
        }
    };
    const std::vector<double> measured = measured_of(rows);
    fit(parameters, measured, predict);
    std::vector<double> predicted(rows.size());
    predict(predicted);
    double left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        left += std::abs(std::log(predicted[i] / measured[i]));
    }
    return {rates, left};
}

// Tables do not say which library ran: it is the one of those that fits best.
ConvolutionRates fitted_convolutions(std::span<const ProblemRow* const> rows,
                                     const DeviceDescription& device) {
    auto best = fitted_with(rows, device, prior_of(*rows.front(), device).library);
    constexpr std::array libraries = {5.0, 7.0};  // before and after Winograd came to all passes
    for (const double library : libraries) {
        auto other = fitted_with(rows, device, library);
        if (other.second < best.second) {
            best = std::move(other);
        }
    }
    return best.first;
}

StreamingRates fitted_streaming(std::span<const ProblemRow* const> rows,
                                const DeviceDescription& device) {
    StreamingRates rates;
    const std::vector<FitParameter> parameters = parameters_of(rates);
    fit(parameters, measured_of(rows), [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_streaming(std::get<StreamingProblem>(rows[i]->problem), device, rates)
                    .time.value;
        }
    });
    return rates;
}

template <class Rates>
std::string text_of(std::string_view table, std::string_view key, std::string_view name,
                    Rates rates) {
    std::string out = fmt::format("\n[[{}]]\n{} = {}\n", table, key, toml_string(name));
    for (const NamedRate& rate : named_rates(rates)) {
        out += fmt::format("{} = {:.6g}\n", rate.name, *rate.value);
    }
    return out;
}

// Reads the rates that a table has; the others keep their values.
template <class Rates>
void read_into(Rates& rates, const TomlSection& section,
               std::initializer_list<std::string_view> further_keys) {
    std::vector<std::string_view> known = further_keys;
    for (const NamedRate& rate : named_rates(rates)) {
        known.push_back(rate.name);
        if (const auto value = section.number(rate.name)) {
            if (!(*value > 0) || !std::isfinite(*value)) {
                section.refuse(rate.name, "give a positive number");
            }
            *rate.value = *value;
        }
    }
    section.expect_only(known);
}

GemmRates products_in(const TomlSection& section, std::string_view origin) {
    GemmRates rates;
    read_into(rates, section, {"class", "kernel"});
    for (const toml::table* const table : section.tables_if_any("kernel")) {
        const TomlSection entry(*table, fmt::format("{}: kernel", printable(origin)));
        KernelRates kernel;
        read_into(kernel, entry, {"name", "rows"});
        kernel.rows = static_cast<int>(entry.count("rows").value_or(0));
        const std::string name = entry.required_text("name");
        if (name == usual_kernel) {
            rates.usual = kernel;
        } else {
            rates.kernels.emplace(name, kernel);
        }
    }
    return rates;
}

}  // namespace

std::string to_toml(const DeviceRates& rates, std::string_view source) {
    std::string out =
        fmt::format("# SPDX-License-Identifier: MIT\nsource = {}\n", toml_string(source));
    for (const auto& [name, products] : rates.gemm) {
        out += text_of("gemm", "class", name, products);
        out += text_of("gemm.kernel", "name", usual_kernel, products.usual);
        for (const auto& [kernel, reached] : products.kernels) {
            out += text_of("gemm.kernel", "name", kernel, reached);
            out += fmt::format("rows = {}\n", reached.rows);
        }
    }
    for (const auto& [name, convolutions] : rates.convolution) {
        out += text_of("convolution", "class", name, convolutions);
        out += fmt::format("library = {}\n", convolutions.library);
    }
    for (const auto& [name, streaming] : rates.streaming) {
        out += text_of("streaming", "class", name, streaming);
    }
    return out;
}

DeviceRates parse_rates(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, printable(origin));
    constexpr std::array<std::string_view, 4> known = {"source", "gemm", "streaming",
                                                       "convolution"};
    file.expect_only(known);
    DeviceRates rates;
    for (const toml::table* const products : file.tables_if_any("gemm")) {
        const TomlSection section(*products, fmt::format("{}: gemm", printable(origin)));
        rates.gemm.emplace(section.required_text("class"), products_in(section, origin));
    }
    for (const toml::table* const streaming : file.tables_if_any("streaming")) {
        const TomlSection section(*streaming, fmt::format("{}: streaming", printable(origin)));
        StreamingRates found;
        read_into(found, section, {"class"});
        rates.streaming.emplace(section.required_text("class"), found);
    }
    for (const toml::table* const convolutions : file.tables_if_any("convolution")) {
        const TomlSection section(*convolutions, fmt::format("{}: convolution", printable(origin)));
        ConvolutionRates found;
        read_into(found, section, {"class", "library"});
        found.library = section.number("library").value_or(found.library);
        if (!(found.library > 0)) {
            section.refuse("library", "give a positive number");
        }
        rates.convolution.emplace(section.required_text("class"), found);
    }
    return rates;
}

std::filesystem::path own_rates_file(std::string_view device) {
    const auto home = data_home();
    if (!home) {
        throw Error("there is nowhere to keep rates: set HOME or XDG_DATA_HOME");
    }
    return *home / "strata" / "rates" / fmt::format("{}.toml", device);
}

DeviceRates rates_of(std::string_view device) {
    DeviceRates rates;
    if (data_home()) {
        const auto file = own_rates_file(device);
        if (const auto text = read_small_file(file)) {
            rates = parse_rates(*text, file.string());
        }
    }
    for (const EmbeddedFile& file : rate_files()) {
        if (file.name == device) {
            DeviceRates shipped = parse_rates(file.text, fmt::format("{}.toml", device));
            rates.gemm.merge(shipped.gemm);
            rates.streaming.merge(shipped.streaming);
            rates.convolution.merge(shipped.convolution);
        }
    }
    return rates;
}

Seconds predict_row(const ProblemRow& row, const DeviceDescription& device,
                    const DeviceRates& rates) {
    if (const auto* product = std::get_if<GemmRow>(&row.problem)) {
        require(device, true);
        const auto fitted = rates.gemm.find(row.problem_class);
        const auto with = [&](const GemmRates& used) {
            return predict_product(
                *product, product->kernel ? std::vector<GemmKernel>() : candidate_kernels(used),
                device, used);
        };
        return fitted == rates.gemm.end() ? with(prior_gemm_rates(device)) : with(fitted->second);
    }
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        require(device, true);
        const auto fitted = rates.convolution.find(row.problem_class);
        return predict_convolution(
                   convolution->problem, device,
                   fitted == rates.convolution.end() ? prior_of(row, device) : fitted->second,
                   convolution->kernel)
            .time;
    }
    const auto fitted = rates.streaming.find(row.problem_class);
    return predict_streaming(std::get<StreamingProblem>(row.problem), device,
                             fitted == rates.streaming.end() ? StreamingRates() : fitted->second)
        .time;
}

Seconds roofline(const ProblemRow& row, const DeviceDescription& device) {
    const Bandwidth memory = device.dram_bandwidth->value;
    if (const auto* streaming = std::get_if<StreamingProblem>(&row.problem)) {
        return streaming->traffic() / memory;
    }
    require(device, true);
    const auto peak =
        derived_f32_peak(device, device.boost_clock ? device.boost_clock : device.base_clock);
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        return std::max(convolution->problem.flops() / *peak,
                        convolution->problem.traffic() / memory);
    }
    const GemmProblem& p = std::get<GemmRow>(row.problem).problem;
    const double batch = static_cast<double>(p.batch), m = static_cast<double>(p.m),
                 n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    return std::max(Flops{2 * batch * m * n * k} / *peak,
                    Bytes{batch * (m * k + k * n + m * n) * p.element_bytes} / memory);
}

std::vector<FitParameter> parameters_of(GemmRates& rates) {
    std::vector<FitParameter> parameters;
    add_parameters(rates, parameters);
    for (auto& [name, kernel] : rates.kernels) {
        add_parameters(kernel, parameters);
    }
    if (rates.kernels.empty()) {
        add_parameters(rates.usual, parameters);
    }
    return parameters;
}

std::vector<FitParameter> parameters_of(StreamingRates& rates) {
    std::vector<FitParameter> parameters;
    add_parameters(rates, parameters);
    return parameters;
}

std::vector<FitParameter> parameters_of(ConvolutionRates& rates) {
    std::vector<FitParameter> parameters;
    add_parameters(rates, parameters);
    return parameters;
}

DeviceRates fit_rates(std::span<const ProblemRow* const> rows, const DeviceDescription& device) {
    std::map<std::string, std::vector<const ProblemRow*>> classes;
    for (const ProblemRow* const row : rows) {
        classes[row->problem_class].push_back(row);
    }
    DeviceRates rates;
    for (const auto& [name, members] : classes) {
        if (std::holds_alternative<GemmRow>(members.front()->problem)) {
            require(device, true);
            rates.gemm.emplace(name, fitted_products(members, device));
        } else if (std::holds_alternative<ConvolutionRow>(members.front()->problem)) {
            require(device, true);
            rates.convolution.emplace(name, fitted_convolutions(members, device));
        } else {
            rates.streaming.emplace(name, fitted_streaming(members, device));
        }
    }
    return rates;
}

}  // namespace strata
