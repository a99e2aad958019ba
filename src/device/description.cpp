// SPDX-License-Identifier: MIT
#include "device/description.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "base/unit_text.h"
#include "device/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace strata {

namespace {

constexpr double max_contradiction = 0.03;
constexpr Bytes cache_line{128};

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

using D = DeviceDescription;

constexpr std::array fields = {
    DeviceField{"processors", &D::processors, "streaming multiprocessors, or cores"},
    DeviceField{"lanes", &D::lanes, "fp32 multiply-adds of a processor per clock",
                "no product is predicted"},
    DeviceField{"matrix_lanes", &D::matrix_lanes,
                "bf16 multiply-adds of a processor's matrix units per clock"},
    DeviceField{"base_clock", &D::base_clock, "the guaranteed clock"},
    DeviceField{"boost_clock", &D::boost_clock, "the highest clock",
                "the base clock counts (2 to 9 % longer on a V100)"},
    DeviceField{"f32_peak", &D::f32_peak, "fp32 arithmetic, as stated"},
    DeviceField{"tf32_peak", &D::tf32_peak, "tf32 in matrix units, dense", "tf32 is not predicted"},
    DeviceField{"f16_peak", &D::f16_peak, "fp16, in matrix units if there are any, dense",
                "fp16 is not predicted"},
    DeviceField{"bf16_peak", &D::bf16_peak, "bf16, in matrix units if there are any, dense",
                "bf16 is not predicted"},
    DeviceField{"f8_peak", &D::f8_peak, "fp8 in matrix units, dense", "fp8 is not predicted"},
    DeviceField{"i8_peak", &D::i8_peak, "int8 in matrix units, dense", "int8 is not predicted"},
    DeviceField{"l1", &D::l1, "first-level cache of a processor"},
    DeviceField{"shared_memory", &D::shared_memory, "shared memory of a processor",
                "attention is predicted by the next generation's rates; no recurrent kernel keeps "
                "its weights"},
    DeviceField{"l2", &D::l2, "second-level cache",
                "all traffic reaches main memory (0 to 16 % longer on an RTX 4090)"},
    DeviceField{"l2_bandwidth", &D::l2_bandwidth, "second-level cache, reads",
                "38 bytes per clock and processor are assumed"},
    DeviceField{"l3", &D::l3, "third-level cache"},
    DeviceField{"memory", &D::memory, "main memory", "nothing says whether a network fits"},
    DeviceField{"dram_bandwidth", &D::dram_bandwidth, "main memory"},
    DeviceField{"bus_width", &D::bus_width, "bits between the device and its memory"},
    DeviceField{"transfer_rate", &D::transfer_rate, "transfers per second of each of these bits"},
    DeviceField{"power", &D::power, "the most that it may draw continuously",
                "the clock never falls (0 to 13 % shorter on an H100)"},
    DeviceField{"price", &D::price, "a list price for renting it", "no cost is predicted"},
};

template <class Q>
constexpr std::string_view unit_of() {
    if constexpr (std::is_same_v<Q, Count>) {
        return "";
    } else if constexpr (std::is_same_v<Q, Hertz>) {
        return "Hz";
    } else if constexpr (std::is_same_v<Q, FlopRate>) {
        return "FLOP/s";
    } else if constexpr (std::is_same_v<Q, Bytes>) {
        return "B";
    } else if constexpr (std::is_same_v<Q, Bandwidth>) {
        return "B/s";
    } else if constexpr (std::is_same_v<Q, Watts>) {
        return "W";
    } else {
        return "USD/h";
    }
}

// The type of the quantity that a member holds.
template <class Q>
Q quantity_of(DeviceField::Member<Q>);

// "a number" or "a number of B/s".
std::string wanted(std::string_view unit) {
    return unit.empty() ? "a positive number" : fmt::format("a positive number of {}", unit);
}

const DeviceField& field_named(std::string_view name) {
    const std::string_view key =
        name == "sms" ? "processors" : name;  // the name for a GPU's processors
    const auto* const found = std::ranges::find(fields, key, &DeviceField::key);
    if (found == fields.end()) {
        std::vector<std::string> keys;
        for (const DeviceField& field : fields) {
            keys.emplace_back(field.key);
        }
        throw Error(
            fmt::format("a device has no '{}': choose one of {}", printable(key), join(keys, ", ")),
            ExitCode::usage);
    }
    return *found;
}

// The text of [value, source]; a bare number is a count.
struct WrittenNumber {
    std::string value;
    std::string source;
};

WrittenNumber written_number(const TomlSection& file, const toml::table& table,
                             const toml::table* sources, std::string_view key) {
    const toml::array* const pair = table[key].as_array();
    if (pair == nullptr || pair->size() != 2) {
        file.refuse(key, "write it as [value, source]");
    }
    const auto text = pair->get(0)->value_exact<std::string>();
    const auto count = pair->get(0)->value<double>();
    const auto source = pair->get(1)->value_exact<std::string>();
    if ((!text && !count) || !source || source->empty()) {
        file.refuse(key, "write it as [value, source], the source as a text");
    }
    const auto named = sources == nullptr ? std::optional<std::string>()
                                          : (*sources)[*source].value_exact<std::string>();
    return {text ? *text : fmt::format("{}", *count), named.value_or(*source)};
}

DeviceKind kind_of(const TomlSection& file) {
    const auto kind = value_named<DeviceKind>(file.required_text("kind"));
    if (!kind) {
        file.refuse("kind", "choose gpu, cpu or tpu");
    }
    return *kind;
}

// Refuses values that no machine can have.
void refuse_impossible(const TomlSection& file, const DeviceDescription& device) {
    for (const auto& [key, member] :
         {std::pair{"processors", &D::processors}, std::pair{"lanes", &D::lanes}}) {
        const auto& count = device.*member;
        if (count &&
            (count->value.value < 1 || count->value != Count{std::floor(count->value.value)})) {
            file.refuse(key, "give a whole number of at least 1");
        }
    }
    for (const auto& [key, member] : {std::pair{"l1", &D::l1}, std::pair{"l2", &D::l2},
                                      std::pair{"l3", &D::l3}, std::pair{"memory", &D::memory}}) {
        if (const auto& size = device.*member; size && size->value < cache_line) {
            file.refuse(key, "is smaller than a line of 128 bytes; correct it");
        }
    }
}

void require_numbers(const TomlSection& file, const DeviceDescription& device) {
    std::vector<std::string> missing;
    if (!device.processors) {
        missing.emplace_back("processors");
    }
    if (!device.boost_clock && !device.base_clock) {
        missing.emplace_back("boost_clock (or base_clock)");
    }
    if (!device.dram_bandwidth) {
        missing.emplace_back("dram_bandwidth");
    }
    if (!missing.empty()) {
        file.refuse(join(missing, " and "),
                    missing.size() == 1 ? "is missing; give it" : "are missing; give them");
    }
}

std::optional<FlopRate> derived_peak(const DeviceDescription& device,
                                     const std::optional<Fact<Count>>& lanes,
                                     const std::optional<Fact<Hertz>>& clock) {
    if (!device.processors || !lanes || !clock) {
        return {};
    }
    constexpr double flops_per_multiply_add = 2;
    return FlopRate{flops_per_multiply_add * device.processors->value.value * lanes->value.value *
                    clock->value.value};
}

}  // namespace

std::span<const DeviceField> device_fields() {
    return fields;
}

std::optional<DescribedNumber> number_of(const DeviceDescription& device,
                                         const DeviceField& field) {
    return std::visit(
        [&](auto member) -> std::optional<DescribedNumber> {
            const auto& fact = device.*member;
            if (!fact) {
                return {};
            }
            using Q = decltype(quantity_of(member));
            return DescribedNumber{fact->value.value, unit_of<Q>(), fact->source,
                                   fact->is_doubtful};
        },
        field.member);
}

DeviceDescription parse_description(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, printable(origin));
    std::vector<std::string_view> known = {"name", "model", "architecture",
                                           "kind", "also",  "sources"};
    for (const DeviceField& field : fields) {
        known.push_back(field.key);
    }
    file.expect_only(known);
    DeviceDescription device;
    device.name = file.required_text("name");
    device.model = file.required_text("model");
    device.architecture = file.required_text("architecture");
    device.kind = kind_of(file);
    device.also = file.texts("also");
    const toml::table* const sources = file.table("sources");
    for (const DeviceField& field : fields) {
        if (!table.contains(field.key)) {
            continue;
        }
        const WrittenNumber written = written_number(file, table, sources, field.key);
        std::visit(
            [&](auto member) {
                using Q = decltype(quantity_of(member));
                const auto value = parse_with_unit(written.value, unit_of<Q>());
                if (!value) {
                    file.refuse(field.key, fmt::format("give {}", wanted(unit_of<Q>())));
                }
                device.*member = {Q{*value}, written.source};
            },
            field.member);
    }
    require_numbers(file, device);
    refuse_impossible(file, device);
    return device;
}

std::optional<DeviceDescription> description_called(std::string_view name) {
    const std::string small = in_small_letters(name);
    std::optional<DeviceDescription> alike;  // ignoring case: "H100"
    for (const EmbeddedFile& file : device_files()) {
        DeviceDescription device = parse_description(file.text, fmt::format("{}.toml", file.name));
        if (file.name == name || device.model == name ||
            std::ranges::find(device.also, name) != device.also.end()) {
            return device;
        }
        if (!alike && file.name == small) {
            alike = std::move(device);
        }
    }
    return alike;
}

namespace {

// The names that begin with this one, "a100-40 or a100-80", or the nearest; empty if none is near.
std::string names_meant(std::string_view name, const std::vector<std::string>& names) {
    std::vector<std::string> meant;
    std::ranges::copy_if(names, std::back_inserter(meant), [&](const std::string& one) {
        return !name.empty() && one.starts_with(name);
    });
    return meant.empty() ? nearest(name, names).value_or("") : join(meant, " or ");
}

}  // namespace

DeviceDescription find_description(std::string_view name) {
    if (name.find_first_of("./") != std::string_view::npos) {
        const auto text = read_small_file(std::string(name));
        if (!text) {
            throw Error(fmt::format("{}: cannot be read ({}); give the path of a device file",
                                    printable(name), why_not_read(std::string(name))));
        }
        DeviceDescription device = parse_description(*text, name);
        if (const auto origin = origin_of(device)) {
            follow(*origin, device);
        }
        return device;
    }
    if (auto found = description_called(name)) {
        return *std::move(found);
    }
    if (const auto host = host_name_in(name)) {
        return describe_host(*host);
    }
    std::vector<std::string> names;
    for (const EmbeddedFile& file : device_files()) {
        names.emplace_back(file.name);
    }
    const std::string meant = names_meant(name, names);
    throw Error(
        fmt::format("there is no device '{}'{}; strata list devices names them; a device file can "
                    "be given by its path",
                    printable(name), meant.empty() ? "" : fmt::format(", did you mean {}?", meant)),
        ExitCode::usage);
}

void change(DeviceDescription& device, std::string_view key_and_value) {
    const auto equals = key_and_value.find('=');
    if (equals == std::string_view::npos) {
        throw Error(fmt::format("'{}' changes nothing: write KEY=VALUE, such as l2=128MiB or "
                                "dram_bandwidth=2x",
                                printable(key_and_value)),
                    ExitCode::usage);
    }
    const DeviceField& field = field_named(trim(key_and_value.substr(0, equals)));
    const std::string_view value = trim(key_and_value.substr(equals + 1));
    std::visit(
        [&](auto member) {
            using Q = decltype(quantity_of(member));
            auto& fact = device.*member;
            const auto factor = value.ends_with('x')
                                    ? parse_with_unit(value.substr(0, value.size() - 1), "")
                                    : std::nullopt;
            const auto number = parse_with_unit(value, unit_of<Q>());
            if (factor ? !fact : !number) {
                throw Error(factor ? fmt::format("{} has no {} to multiply; give it a value",
                                                 device.name, field.key)
                                   : fmt::format("{}: '{}' is not {}, nor a factor such as 2x",
                                                 field.key, printable(value), wanted(unit_of<Q>())),
                            ExitCode::usage);
            }
            fact = {Q{factor ? *factor * fact->value.value : *number},
                    fmt::format("assumed: {}", printable(value))};
        },
        field.member);
}

bool multiplies_in_lanes(const DeviceDescription& device) {
    constexpr std::array<std::string_view, 4> architectures = {"kepler", "maxwell", "pascal",
                                                               "vega"};
    return std::ranges::find(architectures, device.architecture) != architectures.end();
}

namespace {

// The ratio of the new number to the old one; 1 if either is absent.
template <class Q>
double factor_of(std::optional<Fact<Q>> D::*member, const D& before, const D& after) {
    const auto &old = before.*member, &now = after.*member;
    return old && now ? now->value / old->value : 1;
}

// Multiplies a number that was not changed explicitly.
template <class Q>
void follow(std::optional<Fact<Q>> D::*member, double factor, std::string_view of, const D& before,
            D& device) {
    const auto& old = before.*member;
    auto& now = device.*member;
    if (factor != 1 && old && now && old->value == now->value) {
        now = {old->value * factor,
               fmt::format("derived: {:.4g} times the stated value, as {} is", factor, of)};
    }
}

}  // namespace

void follow(const DeviceDescription& before, DeviceDescription& device) {
    const D changed = device;
    const auto factor = [&](auto member) { return factor_of(member, before, changed); };
    const auto by = [&](auto member, double times, std::string_view of) {
        follow(member, times, of, before, device);
    };
    const double cycles = factor(&D::processors) *
                          (before.boost_clock ? factor(&D::boost_clock) : factor(&D::base_clock));
    const double of_lanes = cycles * factor(&D::lanes);
    const bool in_lanes = multiplies_in_lanes(before);
    const double of_units = in_lanes ? of_lanes : cycles * factor(&D::matrix_lanes);
    constexpr std::string_view lanes = "processors x lanes x clock", bus = "bus x transfers";
    const std::string_view units = in_lanes ? lanes : "processors x matrix lanes x clock";
    by(&D::f32_peak, before.kind == DeviceKind::tpu ? of_units : of_lanes, lanes);
    for (const auto peak : {&D::tf32_peak, &D::f16_peak, &D::bf16_peak, &D::f8_peak, &D::i8_peak}) {
        by(peak, of_units, units);
    }
    by(&D::l2_bandwidth, cycles, "processors x clock");
    if (before.kind == DeviceKind::tpu) {
        by(&D::dram_bandwidth, factor(&D::processors), "processors");
    } else {
        by(&D::dram_bandwidth, factor(&D::bus_width) * factor(&D::transfer_rate), bus);
    }
}

std::string what_follows(const DeviceDescription& device) {
    const bool is_tpu = device.kind == DeviceKind::tpu;
    return fmt::format(
        "With --set, and in a changed copy of this description, numbers that are not set follow "
        "others: f32_peak follows processors x {} x clock, {} processors x "
        "clock, and dram_bandwidth {}.",
        is_tpu ? "matrix lanes" : "lanes",
        is_tpu                        ? "bf16_peak likewise; l2_bandwidth follows"
        : multiplies_in_lanes(device) ? "the 16-bit peaks likewise; l2_bandwidth follows"
                                      : "the peaks of matrix units and l2_bandwidth follow",
        is_tpu ? "processors" : "bus width x transfer rate");
}

std::optional<DeviceDescription> origin_of(const DeviceDescription& device) {
    std::optional<DeviceDescription> of_model;
    for (const EmbeddedFile& file : device_files()) {
        DeviceDescription origin = parse_description(file.text, fmt::format("{}.toml", file.name));
        if (origin.kind != device.kind || origin.architecture != device.architecture) {
            continue;
        }
        if (origin.name == device.name) {
            return origin;
        }
        if (origin.model == device.model) {
            of_model = std::move(origin);
        }
    }
    return of_model;
}

std::optional<FlopRate> derived_f32_peak(const DeviceDescription& device,
                                         const std::optional<Fact<Hertz>>& clock) {
    return derived_peak(device, device.lanes, clock);
}

std::vector<std::string> contradictions(const DeviceDescription& device) {
    const auto differs = [](double a, double b) { return std::abs(a / b - 1) > max_contradiction; };
    std::vector<std::string> found;
    const auto compare_peak = [&](std::string_view key, const auto& stated, const auto& lanes) {
        const auto base = derived_peak(device, lanes, device.base_clock);
        const auto boost = derived_peak(device, lanes, device.boost_clock);
        const auto contradicts = [&](const std::optional<FlopRate>& derived) {
            return !derived || differs(stated->value.value, derived->value);
        };
        if (stated && (base || boost) && contradicts(base) && contradicts(boost)) {
            found.push_back(
                fmt::format("{} is stated as {}, but processors, lanes and clock give {}", key,
                            text_with_unit(stated->value.value, "FLOP/s"),
                            text_with_unit((boost ? boost : base)->value, "FLOP/s")));
        }
    };
    compare_peak("f32_peak", device.f32_peak, device.lanes);
    compare_peak("bf16_peak", device.bf16_peak, device.matrix_lanes);
    if (device.bus_width && device.transfer_rate && device.dram_bandwidth) {
        constexpr double bits_per_byte = 8;
        const double stated = device.dram_bandwidth->value.value;
        const double derived =
            device.bus_width->value.value * device.transfer_rate->value.value / bits_per_byte;
        if (differs(stated, derived)) {
            found.push_back(fmt::format("dram_bandwidth is stated as {}, but {:.0f} bits give {}",
                                        text_with_unit(stated, "B/s"),
                                        device.bus_width->value.value,
                                        text_with_unit(derived, "B/s")));
        }
    }
    return found;
}

}  // namespace strata
