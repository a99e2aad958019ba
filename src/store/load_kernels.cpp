// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "store/kernels.h"
#include "store/profile_rows.h"
#include "store/statement.h"

#include <fmt/format.h>

namespace strata {

namespace {

[[noreturn]] void refuse(const Database& database, std::int64_t set, const char* what) {
    throw Error(fmt::format("kernel set {} of database {} {}", set,
                            printable(database.file().string(), 1000), what));
}

std::vector<MetricResult> metrics_of(Statement& find, std::int64_t kernel) {
    std::vector<MetricResult> metrics;
    for (find.start(kernel); find.next();) {
        metrics.push_back({.name = find.text(0),
                           .unit = find.text(1),
                           .value = find.is_null(2) ? std::nullopt : std::optional(find.real(2)),
                           .reason = find.text(3)});
    }
    return metrics;
}

TrackedKernel kernel_of(const Statement& row) {
    TrackedKernel kernel{.key = {.device = row.text(1),
                                 .batch = row.integer(2),
                                 .full_name = row.text(3),
                                 .invocation = row.integer(4)},
                         .name = row.text(5),
                         .layer = row.text(6),
                         .launch = launch_at(row, 9)};
    if (!row.is_null(7)) {
        kernel.pass = parse_pass(row.text(7));
    }
    if (!row.is_null(8)) {
        kernel.time = Nanoseconds(row.integer(8));
    }
    return kernel;
}

KernelSet set_without_kernels(const Database& database, std::int64_t id) {
    Statement row(database, "SELECT created, origin, network, source FROM kernel_set WHERE id = ?");
    if (!row.start(id).next()) {
        refuse(database, id, "does not exist; strata list kernels shows the stored sets");
    }
    const auto origin = value_named<Origin>(row.text(1));
    if (!origin) {
        refuse(database, id, "has no valid origin; import it again");
    }
    return {.id = id,
            .created = row.text(0),
            .origin = *origin,
            .network = row.text(2),
            .source = row.text(3)};
}

}  // namespace

KernelSet load_kernels(const Database& database, std::int64_t id) {
    const Transaction reading(database, Intent::read);
    KernelSet set = set_without_kernels(database, id);
    Statement row(
        database,
        "SELECT kernel.id, device.value, batch, full_name.value, invocation, name.value, "
        "layer.value, pass, time_ns, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, "
        "static_shared, dynamic_shared FROM kernel "
        "JOIN text AS device ON device.id = device JOIN text AS full_name ON full_name.id = "
        "full_name JOIN text AS name ON name.id = name LEFT JOIN text AS layer ON layer.id = layer "
        "WHERE kernel_set = ? ORDER BY position");
    Statement metrics(database,
                      "SELECT text.value, unit, kernel_metric.value, reason FROM kernel_metric "
                      "JOIN text ON text.id = metric WHERE kernel = ? ORDER BY text.value");
    for (row.start(id); row.next();) {
        set.kernels.push_back(kernel_of(row));
        set.kernels.back().metrics = metrics_of(metrics, row.integer(0));
    }
    return set;
}

}  // namespace strata
