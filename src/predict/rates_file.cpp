// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "predict/named_rates.h"
#include "predict/rates.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata {

namespace {

// The name of unnamed kernels in files.
constexpr std::string_view usual_kernel = "usual";

// The rates that a file contains.
template <class Rates>
std::vector<NamedRate> all_named(Rates& rates) {
    std::vector<NamedRate> all = named_rates(rates);
    if constexpr (requires { named_choices(rates); }) {
        const std::vector<NamedRate> choices = named_choices(rates);
        all.insert(all.end(), choices.begin(), choices.end());
    }
    return all;
}

template <class Rates>
std::string text_of(std::string_view table, std::string_view key, std::string_view name,
                    Rates rates) {
    std::string out = fmt::format("\n[[{}]]\n{} = {}\n", table, key, toml_string(name));
    for (const NamedRate& rate : all_named(rates)) {
        if (*rate.value > 0) {
            out += fmt::format("{} = {:.6g}\n", rate.name, *rate.value);
        }
    }
    return out;
}

// Reads the rates in a table; the others keep their values.
template <class Rates>
void read_into(Rates& rates, const TomlSection& section,
               std::initializer_list<std::string_view> further_keys) {
    std::vector<std::string_view> known = further_keys;
    for (const NamedRate& rate : all_named(rates)) {
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

// The rates of the classes in tables of this name.
template <class Rates>
void read_classes(const TomlSection& file, std::string_view origin, std::string_view name,
                  std::map<std::string, Rates, std::less<>>& classes) {
    for (const toml::table* const table : file.tables_if_any(name)) {
        const TomlSection section(*table, fmt::format("{}: {}", printable(origin), name));
        Rates found;
        read_into(found, section, {"class"});
        classes.emplace(section.required_text("class"), found);
    }
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

// Earlier files have a class for each type of 16 bits.
std::string present_name(std::string name) {
    for (const std::string_view type : {"fp16_mixed", "bf16_mixed"}) {
        const std::size_t at = name.find(type);
        if (at != std::string::npos && !name.starts_with("recurrent")) {
            name.replace(at, type.size(), "16 bits");
        }
    }
    return name;
}

template <class Rates>
std::string text_of_classes(std::string_view table,
                            const std::map<std::string, Rates, std::less<>>& classes) {
    std::string out;
    for (const auto& [name, rates] : classes) {
        out += text_of(table, "class", name, rates);
        if constexpr (std::is_same_v<Rates, ConvolutionRates>) {
            out += fmt::format("library = {}\n", rates.library);
        }
    }
    return out;
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
    return out + text_of_classes("convolution", rates.convolution) +
           text_of_classes("streaming", rates.streaming) +
           text_of_classes("recurrent", rates.recurrent) +
           text_of_classes("training_step", rates.training_step) +
           text_of_classes("attention", rates.attention);
}

DeviceRates parse_rates(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, printable(origin));
    constexpr std::array<std::string_view, 7> known = {
        "source", "gemm", "streaming", "convolution", "recurrent", "training_step", "attention"};
    file.expect_only(known);
    DeviceRates rates;
    for (const toml::table* const products : file.tables_if_any("gemm")) {
        const TomlSection section(*products, fmt::format("{}: gemm", printable(origin)));
        rates.gemm.emplace(present_name(section.required_text("class")),
                           products_in(section, origin));
    }
    for (const toml::table* const convolutions : file.tables_if_any("convolution")) {
        const TomlSection section(*convolutions, fmt::format("{}: convolution", printable(origin)));
        ConvolutionRates found;
        read_into(found, section, {"class", "library"});
        found.depthwise = section.number("depthwise").value_or(found.direct);  // in earlier files
        found.library = section.number("library").value_or(found.library);
        if (!(found.library > 0)) {
            section.refuse("library", "give a positive number");
        }
        rates.convolution.emplace(present_name(section.required_text("class")), found);
    }
    read_classes(file, origin, "streaming", rates.streaming);
    read_classes(file, origin, "recurrent", rates.recurrent);
    read_classes(file, origin, "training_step", rates.training_step);
    read_classes(file, origin, "attention", rates.attention);
    return rates;
}

std::filesystem::path own_rates_file(std::string_view device) {
    const auto home = data_home();
    if (!home) {
        throw Error("there is nowhere to keep rates: set HOME or XDG_DATA_HOME");
    }
    return *home / "strata" / "rates" / fmt::format("{}.toml", device);
}

DeviceRates own_rates_of(std::string_view device) {
    if (data_home()) {
        const auto file = own_rates_file(device);
        if (const auto text = read_small_file(file)) {
            return parse_rates(*text, file.string());
        }
    }
    return {};
}

DeviceRates shipped_rates_of(std::string_view device) {
    for (const EmbeddedFile& file : rate_files()) {
        if (file.name == device) {
            return parse_rates(file.text, fmt::format("{}.toml", device));
        }
    }
    return {};
}

std::optional<DeviceDescription> origin_of_rates(const DeviceDescription& device) {
    auto origin = origin_of(device);
    const bool has_own_name = origin && origin->name != device.name;
    if (has_own_name && data_home() && read_small_file(own_rates_file(device.name))) {
        return {};
    }
    return origin;
}

DeviceRates rates_of(std::string_view device) {
    DeviceRates rates = own_rates_of(device);
    DeviceRates shipped = shipped_rates_of(device);
    rates.gemm.merge(shipped.gemm);
    rates.streaming.merge(shipped.streaming);
    rates.convolution.merge(shipped.convolution);
    rates.recurrent.merge(shipped.recurrent);
    rates.training_step.merge(shipped.training_step);
    rates.attention.merge(shipped.attention);
    return rates;
}

}  // namespace strata
