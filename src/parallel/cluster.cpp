// SPDX-License-Identifier: MIT
#include "parallel/cluster.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace strata {

namespace {

using namespace std::string_view_literals;

constexpr std::array cluster_keys = {"model"sv, "devices"sv, "links"sv, "sources"sv};
constexpr std::array link_keys = {"name"sv, "devices"sv,    "latency"sv,  "bandwidth"sv,
                                  "root"sv, "algorithms"sv, "measured"sv, "measured_source"sv};
constexpr std::array measured_keys = {"collective"sv, "devices"sv, "lines"sv};

// One of [value, source]; the source may be a key of [sources].
template <class Q>
std::optional<Fact<Q>> fact_of(const TomlSection& section, const toml::table& table,
                               const toml::table* sources, std::string_view key,
                               std::string_view unit) {
    if (!table.contains(key)) {
        return {};
    }
    const toml::array* const pair = table[key].as_array();
    const auto text = pair != nullptr && pair->size() == 2
                          ? pair->get(0)->value_exact<std::string>()
                          : std::nullopt;
    const auto source = text ? pair->get(1)->value_exact<std::string>() : std::nullopt;
    const auto value = text ? parse_with_unit(*text, unit) : std::nullopt;
    if (!value || !source || source->empty()) {
        section.refuse(key, fmt::format("write it as [\"a positive number of {}\", source]", unit));
    }
    const auto named = sources == nullptr ? std::optional<std::string>()
                                          : (*sources)[*source].value_exact<std::string>();
    return Fact<Q>{Q{*value}, named.value_or(*source)};
}

// A pair ["12 us", "300 GB/s"] of lines.
CollectiveLine line_of(const TomlSection& section, const toml::node& node) {
    const toml::array* const pair = node.as_array();
    if (pair != nullptr && pair->size() == 2) {
        const auto latency = parse_with_unit(pair->get(0)->value_or(""sv), "s");
        const auto rate = parse_with_unit(pair->get(1)->value_or(""sv), "B/s");
        if (latency && rate) {
            return {Seconds{*latency}, Bandwidth{*rate}};
        }
    }
    section.refuse("lines", R"(write each as ["12 us", "300 GB/s"])");
}

MeasuredCollective measured_of(const toml::table& table, const TomlSection& section) {
    section.expect_only(measured_keys);
    MeasuredCollective measured;
    const auto collective = value_named<Collective>(section.required_text("collective"));
    if (!collective) {
        section.refuse("collective",
                       fmt::format("give one of {}", fmt::join(names_of(Collective{}), ", ")));
    }
    measured.collective = *collective;
    const auto devices = section.count("devices", 2);
    if (!devices || *devices > max_devices) {
        section.refuse("devices", "give a whole number of at least 2");
    }
    measured.devices = static_cast<int>(*devices);
    if (const toml::array* lines = table["lines"].as_array()) {
        for (const toml::node& line : *lines) {
            measured.lines.push_back(line_of(section, line));
        }
    }
    if (measured.lines.empty()) {
        section.refuse("lines", R"(give at least one, such as ["12 us", "300 GB/s"])");
    }
    return measured;
}

Link link_of(const toml::table& table, const TomlSection& section, const toml::table* sources) {
    section.expect_only(link_keys);
    Link link;
    link.name = section.required_text("name");
    if (const auto devices = section.count("devices", 2)) {
        link.devices = static_cast<int>(std::min<std::int64_t>(*devices, max_devices));
    }
    link.latency = fact_of<Seconds>(section, table, sources, "latency", "s");
    link.bandwidth = fact_of<Bandwidth>(section, table, sources, "bandwidth", "B/s");
    link.root = fact_of<Bandwidth>(section, table, sources, "root", "B/s");
    for (const std::string& name : section.texts("algorithms")) {
        const auto algorithm = value_named<CollectiveAlgorithm>(name);
        if (!algorithm) {
            section.refuse(
                "algorithms",
                fmt::format("give some of {}", fmt::join(names_of(CollectiveAlgorithm{}), ", ")));
        }
        link.algorithms.push_back(*algorithm);
    }
    for (const toml::table* measured : section.tables_if_any("measured")) {
        const auto place =
            fmt::format("{}: measured {}", section.place("measured"), link.measured.size() + 1);
        link.measured.push_back(measured_of(*measured, TomlSection(*measured, place)));
    }
    link.measured_source = section.text("measured_source").value_or("");
    if (link.measured_source.empty() == !link.measured.empty()) {
        section.refuse("measured_source", "say where the measured lines are from");
    }
    if (!link.latency || !link.bandwidth) {
        section.refuse("latency and bandwidth", "are needed; give them");
    }
    return link;
}

}  // namespace

Cluster parse_cluster(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, printable(origin));
    file.expect_only(cluster_keys);
    Cluster cluster;
    cluster.name = std::filesystem::path(origin).stem().string();
    cluster.model = file.required_text("model");
    cluster.devices = file.texts("devices");
    const toml::table* const sources = file.table("sources");
    for (const toml::table* link : file.tables("links")) {
        const auto place = fmt::format("{}: link {}", printable(origin), cluster.links.size() + 1);
        if (!cluster.links.empty() && !cluster.links.back().devices) {
            file.refuse("links",
                        "a link that joins any number must be the last; give the one "
                        "before its devices");
        }
        cluster.links.push_back(link_of(*link, TomlSection(*link, place), sources));
    }
    if (cluster.links.empty()) {
        file.refuse("links", "give at least one");
    }
    return cluster;
}

namespace {

std::string lines_text(const MeasuredCollective& measured) {
    std::string text;
    for (const CollectiveLine& line : measured.lines) {
        text += fmt::format("{}[\"{:.4g} us\", \"{:.4g} GB/s\"]", text.empty() ? "" : ", ",
                            line.latency.value * 1e6, line.rate.value * 1e-9);
    }
    return text;
}

std::string link_text(const Link& link) {
    std::string text = fmt::format("\n[[links]]\nname = {}\n", toml_string(link.name));
    if (link.devices) {
        text += fmt::format("devices = {}\n", *link.devices);
    }
    text += fmt::format("latency = [\"{:.4g} us\", {}]\nbandwidth = [\"{:.4g} GB/s\", {}]\n",
                        link.latency->value.value * 1e6, toml_string(link.latency->source),
                        link.bandwidth->value.value * 1e-9, toml_string(link.bandwidth->source));
    if (link.root) {
        text += fmt::format("root = [\"{:.4g} GB/s\", {}]\n", link.root->value.value * 1e-9,
                            toml_string(link.root->source));
    }
    if (!link.algorithms.empty()) {
        std::vector<std::string> names;
        for (const CollectiveAlgorithm algorithm : link.algorithms) {
            names.push_back(toml_string(name_of(algorithm)));
        }
        text += fmt::format("algorithms = [{}]\n", join(names, ", "));
    }
    if (!link.measured.empty()) {
        text +=
            fmt::format("measured_source = {}\nmeasured = [\n", toml_string(link.measured_source));
        for (const MeasuredCollective& one : link.measured) {
            text += fmt::format("  {{ collective = \"{}\", devices = {}, lines = [{}] }},\n",
                                name_of(one.collective), one.devices, lines_text(one));
        }
        text += "]\n";
    }
    return text;
}

}  // namespace

std::string to_toml(const Cluster& cluster) {
    std::vector<std::string> devices;
    for (const std::string& device : cluster.devices) {
        devices.push_back(toml_string(device));
    }
    std::string text = fmt::format("model = {}\ndevices = [{}]\n", toml_string(cluster.model),
                                   join(devices, ", "));
    for (const Link& link : cluster.links) {
        text += link_text(link);
    }
    return text;
}

std::filesystem::path own_links_file(std::string_view name) {
    const auto home = data_home();
    if (!home) {
        throw Error("there is nowhere to keep links: set HOME or XDG_DATA_HOME");
    }
    return *home / "strata" / "links" / fmt::format("{}.toml", name);
}

std::vector<Cluster> clusters() {
    std::vector<Cluster> all;
    for (const EmbeddedFile& file : cluster_files()) {
        all.push_back(parse_cluster(file.text, fmt::format("{}.toml", file.name)));
    }
    return all;
}

Cluster find_cluster(std::string_view name) {
    if (name.find_first_of("./") != std::string_view::npos) {
        const auto text = read_small_file(std::string(name));
        if (!text) {
            throw Error(fmt::format("{}: cannot be read ({}); give the path of a file of links",
                                    printable(name), why_not_read(std::string(name))));
        }
        return parse_cluster(*text, name);
    }
    if (data_home()) {
        const auto own = own_links_file(name);
        if (const auto text = read_small_file(own)) {
            return parse_cluster(*text, own.string());
        }
    }
    std::vector<std::string> names;
    for (const EmbeddedFile& file : cluster_files()) {
        if (file.name == name) {
            return parse_cluster(file.text, fmt::format("{}.toml", file.name));
        }
        names.emplace_back(file.name);
    }
    if (name == "host") {
        throw Error(
            "this host's links are not known: measure them with mpirun -n 2 strata calibrate "
            "--collectives, or choose other --links",
            ExitCode::usage);
    }
    throw Error(fmt::format("there are no links '{}': choose from {}, or give a file of links by "
                            "its path",
                            printable(name), join(names, ", ")),
                ExitCode::usage);
}

Cluster cluster_of(std::string_view device) {
    std::vector<std::string> names;
    for (Cluster& cluster : clusters()) {
        if (std::ranges::find(cluster.devices, device) != cluster.devices.end()) {
            return std::move(cluster);
        }
        names.push_back(cluster.name);
    }
    throw Error(fmt::format("it is not known how several {} are joined: choose with --links from "
                            "{}, or give a file of links by its path",
                            printable(device), join(names, ", ")),
                ExitCode::usage);
}

}  // namespace strata
