// SPDX-License-Identifier: MIT
#include "predict/cpu_rates.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "predict/arithmetic.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace strata {

namespace {

using NamedNumbers = std::vector<std::pair<std::string_view, double*>>;

NamedNumbers named_numbers(CpuProductRates& rates) {
    return {{"call_s", &rates.call.value}, {"efficiency", &rates.efficiency},
            {"sum", &rates.sum},           {"row", &rates.row},
            {"columns", &rates.columns},   {"traffic", &rates.traffic},
            {"refetch", &rates.refetch}};
}

NamedNumbers named_numbers(CpuStreamRates& rates) {
    return {{"call_s", &rates.call.value},
            {"operations", &rates.operations},
            {"traffic", &rates.traffic}};
}

NamedNumbers named_numbers(CpuRates& rates) {
    return {{"l2", &rates.l2}, {"l3", &rates.l3}, {"dram", &rates.dram}, {"share", &rates.share}};
}

std::string lines_of(const NamedNumbers& numbers) {
    std::string text;
    for (const auto& [name, value] : numbers) {
        text += fmt::format("{} = {:.5g}\n", name, *value);
    }
    return text;
}

// Reads the rates in a table; the others keep their values.
void read_numbers(const NamedNumbers& numbers, const TomlSection& section,
                  std::initializer_list<std::string_view> further_keys) {
    std::vector<std::string_view> known = further_keys;
    for (const auto& [name, value] : numbers) {
        known.push_back(name);
        if (const auto found = section.number(name)) {
            if (!(*found > 0) || !std::isfinite(*found)) {
                section.refuse(name, "give a positive number");
            }
            *value = *found;
        }
    }
    section.expect_only(known);
}

template <class Rates>
void read_families(const TomlSection& file, std::string_view origin, std::string_view table,
                   std::string_view key, std::map<std::string, Rates, std::less<>>& families) {
    for (const toml::table* const one : file.tables_if_any(table)) {
        const TomlSection section(*one, fmt::format("{}: {}", printable(origin), table));
        Rates found;
        read_numbers(named_numbers(found), section, {key});
        families.emplace(section.required_text(key), found);
    }
}

// The pass at the end of a family's name; inference counts as forward.
std::string pass_in(std::string_view family) {
    const auto space = family.rfind(' ');
    std::string pass(space == std::string_view::npos ? "" : family.substr(space));
    return pass == " inference" ? " forward" : pass;
}

// The same operator's family for that pass.
std::string fallback_of(std::string_view family) {
    return std::string(family.substr(0, family.rfind(' '))) + pass_in(family);
}

// The first of these families that exists, else the usual rates.
template <class Rates>
const Rates& first_of(const std::map<std::string, Rates, std::less<>>& families,
                      std::initializer_list<std::string> names, const Rates& usual) {
    for (const std::string& name : names) {
        if (const auto found = families.find(name); found != families.end()) {
            return found->second;
        }
    }
    return usual;
}

Hertz clock_of_cpu(const DeviceDescription& device) {
    const auto& clock = device.boost_clock ? device.boost_clock : device.base_clock;
    if (!clock) {
        throw Error(
            fmt::format("{} has no clock, which a prediction needs; add boost_clock to its "
                        "description",
                        device.name));
    }
    return clock->value;
}

template <class Q>
void scale_fact(std::optional<Fact<Q>>& fact, double factor) {
    if (fact) {
        fact->value *= factor;
    }
}

// If a description does not state the second cache's bandwidth: a register of 32 bytes per clock
// and core, as current processors state.
Bandwidth usual_l2_bandwidth(const DeviceDescription& device) {
    constexpr double bytes_per_clock = 32;
    return Bandwidth{bytes_per_clock * device.processors->value.value * clock_of_cpu(device).value};
}

}  // namespace

const CpuProductRates& CpuRates::product(std::string_view family) const {
    const std::string pass = pass_in(family);
    return first_of(products,
                    {std::string(family), fallback_of(family), "convolution" + pass,
                     "matmul" + pass, "fully_connected" + pass},
                    usual_product);
}

const CpuStreamRates& CpuRates::stream(std::string_view pass) const {
    return first_of(streams,
                    {std::string(pass), fallback_of(pass), "convolution" + pass_in(pass),
                     "add" + pass_in(pass), "relu" + pass_in(pass)},
                    usual_stream);
}

std::string to_toml(const CpuRates& rates, std::string_view source) {
    CpuRates all = rates;
    std::string text = fmt::format("# SPDX-License-Identifier: MIT\nsource = {}\n{}",
                                   toml_string(source), lines_of(named_numbers(all)));
    for (auto& [family, found] : all.products) {
        text += fmt::format("\n[[product]]\nfamily = {}\n{}", toml_string(family),
                            lines_of(named_numbers(found)));
    }
    for (auto& [pass, found] : all.streams) {
        text += fmt::format("\n[[stream]]\npass = {}\n{}", toml_string(pass),
                            lines_of(named_numbers(found)));
    }
    return text;
}

CpuRates parse_cpu_rates(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, std::string(printable(origin)));
    file.required_text("source");
    CpuRates rates;
    read_numbers(named_numbers(rates), file, {"source", "product", "stream"});
    read_families(file, origin, "product", "family", rates.products);
    read_families(file, origin, "stream", "pass", rates.streams);
    return rates;
}

std::filesystem::path own_cpu_rates_file(std::string_view device) {
    return own_rates_file(fmt::format("{}-operators", device));
}

CpuRates cpu_rates_of(const DeviceDescription& device) {
    if (data_home()) {
        const auto file = own_cpu_rates_file(device.name);
        if (const auto text = read_small_file(file)) {
            CpuRates rates = parse_cpu_rates(*text, file.string());
            rates.source = {RateOrigin::fitted, device.name, {}};
            return rates;
        }
    }
    constexpr double lanes_of_avx512 = 32;
    // (A copy with other lanes runs its origin's kernels.)
    const DeviceDescription origin = origin_of(device).value_or(device);
    const bool is_wide = origin.lanes && origin.lanes->value.value >= lanes_of_avx512;
    const std::string_view wanted = is_wide ? "onednn-avx512" : "onednn-avx2";
    for (const EmbeddedFile& file : cpu_rate_files()) {
        if (file.name == wanted) {
            return parse_cpu_rates(file.text, fmt::format("{}.toml", file.name));
        }
    }
    return {};
}

CpuCeilings ceilings_for_rates(const DeviceDescription& device) {
    if (!device.processors || !device.dram_bandwidth) {
        throw Error(fmt::format("{} has no {}, which a prediction needs; add it to its description",
                                device.name, device.processors ? "dram_bandwidth" : "processors"));
    }
    constexpr Bytes usual_l2_of_a_core{1 << 20};
    clock_of_cpu(device);
    CpuCeilings found;
    found.peak = peak_of(device, Arithmetic::f32);
    found.cores = device.processors->value.value;
    found.l2 = device.l2_bandwidth ? device.l2_bandwidth->value : usual_l2_bandwidth(device);
    found.dram = device.dram_bandwidth->value;
    found.l2_size = device.l2 ? device.l2->value : found.cores * usual_l2_of_a_core;
    found.last_size = std::max(found.l2_size, device.l3 ? device.l3->value : found.l2_size);
    return found;
}

void scale(Cpu& cpu, Resource resource, double factor) {
    switch (resource) {
        case Resource::compute:
            scale_fact(cpu.device.lanes, factor);
            break;
        case Resource::latency:
            break;
        case Resource::l2_bandwidth:
            cpu.rates.l2 *= factor;
            cpu.rates.l3 *= factor;
            break;
        case Resource::l2_size:
            if (cpu.device.l2) {
                cpu.device.l2->value *= factor;
            }
            break;
        case Resource::dram_bandwidth:
            scale_fact(cpu.device.dram_bandwidth, factor);
            break;
        case Resource::launch:
            cpu.rates.usual_product.call = cpu.rates.usual_product.call / factor;
            cpu.rates.usual_stream.call = cpu.rates.usual_stream.call / factor;
            for (auto& [family, rates] : cpu.rates.products) {
                rates.call = rates.call / factor;
            }
            for (auto& [pass, rates] : cpu.rates.streams) {
                rates.call = rates.call / factor;
            }
            break;
    }
}

void apply(Cpu& cpu, const DeviceChanges& changes) {
    const DeviceDescription before = cpu.device;
    for (const std::string& text : changes) {
        if (const auto launch = value_for("launch", text)) {
            const LaunchChange change = launch_change(*launch);
            const double* factor = std::get_if<double>(&change);
            if (factor == nullptr || !(*factor > 0)) {
                throw Error(fmt::format("launch: '{}' is not a factor; on a CPU calls differ, so "
                                        "give one, such as 0.5x",
                                        printable(*launch)),
                            ExitCode::usage);
            }
            scale(cpu, Resource::launch, 1 / *factor);
        } else {
            change(cpu.device, text);
        }
    }
    follow(before, cpu.device);
}

}  // namespace strata
