// SPDX-License-Identifier: MIT
#include "cli/collectives.h"

#include "base/file.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/measuring.h"
#include "parallel/collective_table.h"
#include "scale/measured_collectives.h"
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

// The rows of one device and one library, and those that name none; throws Error that names what
// there is.
std::vector<CollectivePoint> chosen_points(const CollectiveOptions& options) {
    if (options.device.empty()) {
        throw Error(
            "--device names the device of the rows, and the links that are written: give it",
            ExitCode::usage);
    }
    std::vector<CollectivePoint> points;
    std::set<std::string> devices, libraries;
    for (const CollectiveRow& row : rows_of_files(options.from)) {
        devices.insert(row.device);
        if (!row.device.empty() && row.device != options.device) {
            continue;
        }
        libraries.insert(row.library);
        if (row.library.empty() || row.library == options.library) {
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
        throw Error(fmt::format("{} has {}; give --library one of {}", printable(options.device),
                                options.library.empty() ? "rows of named libraries"
                                                        : fmt::format("no rows of library '{}'",
                                                                      printable(options.library)),
                                printable(fmt::format("{}", fmt::join(libraries, ", ")), 400)),
                    ExitCode::usage);
    }
    if (points_of(points, Collective::all_reduce, 0).empty()) {
        throw Error("the table has no all-reduce, which the link's latency is fitted to; add some");
    }
    return points;
}

// Writes links of one level and shows how they were fitted.
void keep_links(const std::string& name, const std::string& model, const Link& link,
                const std::vector<CollectivePoint>& points, Origin origin,
                const OutputOptions& output) {
    const auto file = own_links_file(name);
    replace_file(file, to_toml({.name = name, .model = model, .devices = {}, .links = {link}}));
    emit(collectives_document(points, link, origin), output);
    write_remark(fmt::format("wrote {}\n", file.string()));
}

void measure_links(const CollectiveOptions& options) {
    if (launch().size == 1) {
        throw Error(
            "collectives are measured on several ranks: start it with mpirun -n 2 strata "
            "calibrate --collectives, or give a table with --from",
            ExitCode::usage);
    }
    const bool is_first = launch().rank == 0;
    const std::string name = options.device.empty() ? "host" : device_file_name(options.device);
    own_links_file(name);  // fails before time is spent
    std::optional<MeasuringLock> lock;
    if (is_first) {
        lock.emplace(acquire_measuring_lock(when_locked(options.no_wait)));
    }
    constexpr Seconds limit{60};
    Exchanger exchanger(open_mpi, limit);
    exchanger.meet(exchanger.size(), patience_of_idle);
    std::optional<ProgressLine> line;
    if (is_first) {
        line.emplace();
    }
    const auto points = measure_collectives(exchanger, [&](const std::string& what) {
        if (line) {
            line->show("measuring " + what, 0);
        }
    });
    line.reset();
    if (is_first) {
        keep_links(name, fmt::format("{} ranks of MPI", exchanger.size()),
                   fitted_link("MPI", points, "measured by strata calibrate --collectives"), points,
                   Origin::measured, options.output);
    }
}

}  // namespace

void calibrate_collectives(const CollectiveOptions& options) {
    if (options.from.empty()) {
        try {
            measure_links(options);
        } catch (const Error& error) {
            if (is_told_by(launch().rank, error)) {
                throw;
            }
        }
        return;
    }
    const std::vector<CollectivePoint> points = chosen_points(options);
    const std::string files = join(options.from, ", ");
    const std::string source =
        options.library.empty() ? files : fmt::format("{} of {}", options.library, files);
    keep_links(device_file_name(options.device), options.device,
               fitted_link(options.device, points, source), points, Origin::imported,
               options.output);
}

}  // namespace strata
