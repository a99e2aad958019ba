// SPDX-License-Identifier: MIT
#include "predict/measured_networks.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

using NetworkFields = std::vector<std::string_view>;

// The places of the columns; that of an absent one is past the end.
struct NetworkColumns {
    explicit NetworkColumns(const NetworkFields& names)
        : count(names.size()),
          device(place(names, "device")),
          measured(place(names, "measured_ms")),
          predicted(place(names, "predicted_ms")),
          layer_error(place(names, "layer_mape_percent")) {}

    static std::size_t place(const NetworkFields& names, std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    }
    bool are_of_networks() const { return measured < count && predicted < count; }

    std::size_t count, device, measured, predicted, layer_error;
};

// Commas in quotes are part of a name: "fc:layers=2,nodes=8".
NetworkFields network_fields(std::string_view line) {
    NetworkFields fields;
    std::size_t begin = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '"') {
            is_quoted = !is_quoted;
        } else if (i == line.size() || (line[i] == ',' && !is_quoted)) {
            fields.push_back(trim(line.substr(begin, i - begin)));
            begin = i + 1;
        }
    }
    return fields;
}

Seconds network_time(std::string_view text, const std::string& place) {
    const auto milliseconds = parse_number(text);
    if (!milliseconds || !(*milliseconds > 0) || !(*milliseconds < 1e12)) {
        throw Error(fmt::format("{}: '{}' is no time in milliseconds", place, printable(text)));
    }
    return Seconds{*milliseconds * 1e-3};
}

MeasuredTime network_in(const NetworkFields& fields, const NetworkColumns& columns,
                        const std::string& place, std::string_view origin) {
    MeasuredTime found{.problem_class = network_class(DeviceKind::cpu),
                       .machine = std::string(origin),
                       .measured = network_time(fields[columns.measured], place),
                       .predicted = network_time(fields[columns.predicted], place)};
    if (columns.device < columns.count) {
        const auto device = description_called(fields[columns.device]);
        if (!device) {
            throw Error(
                fmt::format("{}: '{}' is not described; strata list devices names those "
                            "that are",
                            place, printable(fields[columns.device])));
        }
        found.machine = device->name;
        found.problem_class = network_class(device->kind);
    }
    if (columns.layer_error < columns.count) {
        found.layer_error = parse_number(fields[columns.layer_error]).value_or(0) / 100;
    }
    return found;
}

}  // namespace

std::string network_class(DeviceKind kind) {
    return fmt::format("network on a {}", name_of(kind));
}

std::optional<std::vector<MeasuredTime>> read_measured_networks(std::string_view csv,
                                                                std::string_view origin) {
    std::optional<NetworkColumns> columns;
    std::vector<MeasuredTime> found;
    std::size_t number = 0;
    for (const std::string_view line : split(csv, '\n')) {
        ++number;
        if (trim(line).empty()) {
            continue;
        }
        const NetworkFields fields = network_fields(line);
        if (!columns) {
            columns.emplace(fields);
            if (!columns->are_of_networks()) {
                return {};
            }
            continue;
        }
        const std::string place = fmt::format("{}:{}", printable(origin), number);
        if (fields.size() != columns->count) {
            throw Error(fmt::format("{}: has {} fields where the header has {}", place,
                                    fields.size(), columns->count));
        }
        found.push_back(network_in(fields, *columns, place, origin));
    }
    return columns ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace strata
