// SPDX-License-Identifier: MIT
#include "cli/collectives.h"

#include "base/file.h"
#include "base/output.h"
#include "base/text.h"
#include "parallel/collective_table.h"
#include "view/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata {

namespace {

std::vector<CollectiveRow> rows_of_files(const std::vector<std::string>& files) {
    std::vector<CollectiveRow> rows;
    for (const std::string& name : files) {
        const auto file = MappedFile::open(name);
        const std::span<const std::byte> bytes = file->bytes();
        const auto read =
            parse_collectives({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
        rows.insert(rows.end(), read.begin(), read.end());
    }
    return rows;
}

// The rows of one device and one library; throws Error that names what there is.
std::vector<CollectivePoint> chosen_points(const CollectiveOptions& options) {
    std::vector<CollectivePoint> points;
    std::set<std::string> devices, libraries;
    for (const CollectiveRow& row : rows_of_files(options.from)) {
        devices.insert(row.device);
        if (row.device != options.device) {
            continue;
        }
        libraries.insert(row.library);
        if (row.library == options.library) {
            points.push_back(row.point);
        }
    }
    if (libraries.empty()) {
        throw Error(
            fmt::format("no row is of device '{}'; the table has {}", printable(options.device),
                        printable(fmt::format("{}", fmt::join(devices, ", ")), 400)),
            ExitCode::usage);
    }
    if (points.empty()) {
        throw Error(fmt::format("{} has no rows of library '{}'; give --library one of {}",
                                printable(options.device), printable(options.library),
                                printable(fmt::format("{}", fmt::join(libraries, ", ")), 400)),
                    ExitCode::usage);
    }
    if (points_of(points, Collective::all_reduce, 0).empty()) {
        throw Error("the table has no all-reduce, which the link's latency is fitted to; add some");
    }
    return points;
}

}  // namespace

void calibrate_collectives(const CollectiveOptions& options) {
    if (options.from.empty()) {
        throw Error("name a table of measured collectives with --from", ExitCode::usage);
    }
    const std::vector<CollectivePoint> points = chosen_points(options);
    const std::string name = device_file_name(options.device);
    const auto file = own_links_file(name);
    const std::string source = fmt::format("{} of {}", options.library, join(options.from, ", "));
    Cluster cluster{.name = name, .model = options.device, .devices = {}, .links = {}};
    cluster.links.push_back(fitted_link(options.device, points, source));
    replace_file(file, to_toml(cluster));
    emit(collectives_document(points, cluster.links.front(), Origin::imported), options.output);
    write_remark(fmt::format("wrote {}\n", file.string()));
}

}  // namespace strata
