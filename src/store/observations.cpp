// SPDX-License-Identifier: MIT
#include "store/observations.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

// (One pass over the steps in key order; the reason of the first missing step is looked up only if
// there is one.)
constexpr std::string_view observations_query =
    "SELECT run.id, run.origin, run.state, run.backend, run.network, run.batch, run.mode, "
    "run.dtype, run.threads, run.device, whole.median_ns, whole.low_ns, whole.high_ns, "
    "coalesce(work.flops, total.flops), "
    "coalesce(work.bytes_read + work.bytes_written, total.bytes), total.hole, "
    "CASE WHEN total.hole >= 0 THEN (SELECT reason FROM step WHERE step.run = run.id "
    "AND step.position = total.hole) END "
    "FROM run "
    "LEFT JOIN whole ON whole.run = run.id AND whole.series = 'end_to_end' "
    "LEFT JOIN run_work AS work ON work.run = run.id "
    "LEFT JOIN (SELECT run, sum(flops * 1.0) AS flops, "
    "sum(bytes_read * 1.0 + bytes_written) AS bytes, "
    "min(CASE WHEN status IN ('skipped', 'failed') THEN position END) AS hole "
    "FROM step GROUP BY run) AS total ON total.run = run.id "
    "ORDER BY run.id";

enum ObservationColumn {
    id_at,
    origin_at,
    state_at,
    backend_at,
    network_at,
    batch_at,
    mode_at,
    dtype_at,
    threads_at,
    device_at,
    median_at,
    low_at,
    high_at,
    flops_at,
    bytes_at,
    hole_at,
    reason_at
};

// The index of each stored device among those read.
std::map<std::int64_t, std::size_t> read_devices(const Database& database,
                                                 std::vector<Device>& devices) {
    std::map<std::int64_t, std::size_t> places;
    Statement row(database, "SELECT id, toml FROM device");
    for (row.start(); row.next();) {
        places[row.integer(0)] = devices.size();
        devices.push_back(parse_device(
            row.text(1), fmt::format("{}, device {}", printable(database.file().string(), 1000),
                                     row.integer(0))));
    }
    return places;
}

// Dimensions and variables of a file's network, under their names.
void read_named_values(const Database& database, std::vector<Observation>& runs) {
    Statement row(database,
                  "SELECT run, name, value FROM setting WHERE name LIKE 'dim %' "
                  "OR name LIKE 'variable %' ORDER BY run");
    auto at = runs.begin();
    for (row.start(); row.next();) {
        while (at != runs.end() && at->run < row.integer(0)) {
            ++at;
        }
        const auto value = parse_number(row.text(2));
        if (at != runs.end() && at->run == row.integer(0) && value) {
            const std::string name = row.text(1);
            at->parameters.emplace_back(name.substr(name.find(' ') + 1), *value);
        }
    }
}

// The versions of the backends' libraries, as recorded by the runs.
void read_versions(const Database& database, std::vector<Observation>& runs) {
    Statement row(database,
                  "SELECT provenance.run, version.value FROM provenance "
                  "JOIN text AS version ON version.id = provenance.value WHERE provenance.name = "
                  "(SELECT id FROM text WHERE value = 'backend.version') ORDER BY provenance.run");
    auto at = runs.begin();
    for (row.start(); row.next();) {
        at = std::ranges::lower_bound(at, runs.end(), row.integer(0), {}, &Observation::run);
        if (at != runs.end() && at->run == row.integer(0)) {
            at->version = row.text(1);
        }
    }
}

void read_time(const Statement& row, Observation& run) {
    constexpr double nano = 1e-9;
    if (!row.is_null(hole_at)) {
        run.reason = row.text(reason_at);
    } else if (row.is_null(median_at)) {
        run.reason = row.text(state_at) == "partial" ? "interrupted" : "not measured";
    } else if (row.real(median_at) > 0) {
        const Seconds median{row.real(median_at) * nano};
        run.time = {median, row.is_null(low_at) ? median : Seconds{row.real(low_at) * nano},
                    row.is_null(high_at) ? median : Seconds{row.real(high_at) * nano}};
    } else {
        run.reason = "shorter than a nanosecond";
    }
}

Observation observation_of(const Statement& row) {
    Observation run;
    run.run = row.integer(id_at);
    run.origin = value_named<Origin>(row.text(origin_at)).value_or(Origin::measured);
    run.backend = row.text(backend_at);
    describe_network(row.text(network_at), run);
    run.batch = row.integer(batch_at);
    run.mode = row.text(mode_at);
    run.dtype = row.text(dtype_at);
    run.threads = row.integer(threads_at);
    read_time(row, run);
    run.flops = Flops{row.is_null(flops_at) ? 0 : row.real(flops_at)};
    run.traffic = Bytes{row.is_null(bytes_at) ? 0 : row.real(bytes_at)};
    return run;
}

}  // namespace

Observations load_observations(const Database& database) {
    Observations all;
    const Transaction reading(database, Intent::read);
    const auto places = read_devices(database, all.devices);
    Statement row(database, observations_query);
    for (row.start(); row.next();) {
        Observation& run = all.runs.emplace_back(observation_of(row));
        if (!row.is_null(device_at)) {
            const auto found = places.find(row.integer(device_at));
            run.device = found == places.end() ? std::nullopt : std::optional(found->second);
        }
    }
    read_named_values(database, all.runs);
    read_versions(database, all.runs);
    return all;
}

}  // namespace strata
