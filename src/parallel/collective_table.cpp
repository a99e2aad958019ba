// SPDX-License-Identifier: MIT
#include "parallel/collective_table.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace strata {

namespace {

// "all_reduce", "alltoall" and "all-to-all" as the letters alone.
std::string letters_of(std::string_view name) {
    std::string letters(name);
    std::erase_if(letters, [](char c) { return c == '_' || c == '-' || c == ' '; });
    return letters;
}

std::optional<Collective> collective_named(std::string_view text) {
    for (std::size_t i = 0; i < names_of(Collective{}).size(); ++i) {
        if (letters_of(names_of(Collective{})[i]) == letters_of(text)) {
            return static_cast<Collective>(i);
        }
    }
    return {};
}

// The fields of a line by the header's names.
class CollectiveLineReader {
public:
    CollectiveLineReader(std::string_view header, std::string_view origin) : origin_(origin) {
        for (const std::string_view name : split(header, ',')) {
            columns_.emplace_back(trim(name));
        }
        devices_ = place_of("gpus").value_or(place_of("devices").value_or(columns_.size()));
        if (devices_ == columns_.size() || !place_of("collective") || !place_of("bytes") ||
            !place_of("ms")) {
            throw Error(
                fmt::format("{}: has no columns collective, gpus, bytes and ms; give a "
                            "table of measured collectives",
                            printable(origin)));
        }
    }

    CollectiveRow read(std::string_view line, std::size_t number) const {
        const auto fields = split(line, ',');
        const std::string place = fmt::format("{}:{}", printable(origin_), number);
        if (fields.size() != columns_.size()) {
            throw Error(fmt::format("{}: has {} fields where the header has {}", place,
                                    fields.size(), columns_.size()));
        }
        CollectiveRow row;
        row.device = text_of(fields, "device");
        row.library = text_of(fields, "library");
        const auto collective = collective_named(text_of(fields, "collective"));
        const auto devices = parse_integer(trim(fields[devices_]));
        const auto bytes = parse_number(text_of(fields, "bytes"));
        const auto milliseconds = parse_number(text_of(fields, "ms"));
        if (!collective || !devices || *devices < 2 || *devices > max_devices || !bytes ||
            !(*bytes > 0) || !milliseconds || !(*milliseconds > 0)) {
            throw Error(
                fmt::format("{}: needs a collective ({}), at least 2 devices, and positive "
                            "bytes and ms; correct it",
                            place, fmt::join(names_of(Collective{}), ", ")));
        }
        row.point = {*collective, static_cast<int>(*devices), Bytes{*bytes},
                     Seconds{*milliseconds * 1e-3}};
        return row;
    }

private:
    std::optional<std::size_t> place_of(std::string_view name) const {
        const auto found = std::ranges::find(columns_, name);
        return found == columns_.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - columns_.begin()));
    }

    std::string text_of(const std::vector<std::string_view>& fields, std::string_view name) const {
        const auto place = place_of(name);
        return place ? std::string(trim(fields[*place])) : "";
    }

    std::string origin_;
    std::vector<std::string> columns_;
    std::size_t devices_ = 0;
};

}  // namespace

std::vector<CollectiveRow> parse_collectives(std::string_view csv, std::string_view origin) {
    std::optional<CollectiveLineReader> reader;
    std::vector<CollectiveRow> rows;
    std::size_t number = 0;
    for (const std::string_view line : split(csv, '\n')) {
        ++number;
        if (trim(line).empty()) {
            continue;
        }
        if (!reader) {
            reader.emplace(line, origin);
        } else {
            rows.push_back(reader->read(line, number));
        }
    }
    if (rows.empty()) {
        throw Error(fmt::format("{}: has no rows; give a table of measured collectives",
                                printable(origin)));
    }
    return rows;
}

std::optional<std::vector<MeasuredTime>> left_out_collectives(std::string_view csv,
                                                              std::string_view origin) {
    const auto header = split(csv.substr(0, csv.find('\n')), ',');
    if (std::ranges::none_of(header, [](auto name) { return trim(name) == "collective"; })) {
        return {};
    }
    std::map<std::tuple<std::string, Collective, int>, std::vector<CollectivePoint>> series;
    for (const CollectiveRow& row : parse_collectives(csv, origin)) {
        series[{row.device, row.point.collective, row.point.devices}].push_back(row.point);
    }
    std::vector<MeasuredTime> found;
    for (const auto& [key, points] : series) {
        const std::string& device = std::get<0>(key);
        for (const LeftOutPoint& one : left_out_points(points)) {
            if (one.point.bytes < smallest_checked) {
                continue;
            }
            found.push_back({.problem_class = std::string(collective_class),
                             .machine = device.empty() ? std::string(origin) : device,
                             .split = ResidualSplit::cross_validated,
                             .measured = one.point.time,
                             .predicted = one.predicted});
        }
    }
    return found;
}

std::vector<CollectivePoint> points_of(const std::vector<CollectivePoint>& points,
                                       Collective collective, int devices) {
    std::vector<CollectivePoint> found;
    std::ranges::copy_if(points, std::back_inserter(found), [&](const CollectivePoint& point) {
        return point.collective == collective && (devices == 0 || point.devices == devices);
    });
    return found;
}

std::vector<int> device_counts_of(const std::vector<CollectivePoint>& points) {
    std::set<int> counts;
    for (const CollectivePoint& point : points) {
        counts.insert(point.devices);
    }
    return {counts.begin(), counts.end()};
}

Link fitted_link(std::string name, const std::vector<CollectivePoint>& points,
                 const std::string& source) {
    Link link;
    link.name = std::move(name);
    const std::vector<int> counts = device_counts_of(points);
    check(!counts.empty(), "a link is fitted to points");
    link.devices = counts.back();
    link.measured_source = source;
    for (std::size_t i = 0; i < names_of(Collective{}).size(); ++i) {
        for (const int devices : counts) {
            const auto collective = static_cast<Collective>(i);
            const auto found = points_of(points, collective, devices);
            if (!found.empty()) {
                link.measured.push_back({collective, devices, fit_lines(found)});
            }
        }
    }
    const auto fits = fit_algorithms(points_of(points, Collective::all_reduce, 0));
    check(!fits.empty(), "some algorithm does every all-reduce");
    const auto origin =
        fmt::format("{}: fitted to all-reduces as {}", source, name_of(fits.front().algorithm));
    link.latency = {fits.front().cost.latency, origin};
    link.bandwidth = {fits.front().cost.bandwidth, origin};
    return link;
}

}  // namespace strata
