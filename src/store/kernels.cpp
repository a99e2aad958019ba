// SPDX-License-Identifier: MIT
#include "store/kernels.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "store/profile.h"
#include "store/query.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string described(const LaunchShape& launch) {
    return fmt::format("{},{},{},{},{},{},{},{},{}", launch.grid.x, launch.grid.y, launch.grid.z,
                       launch.block.x, launch.block.y, launch.block.z, launch.registers,
                       launch.static_shared.value, launch.dynamic_shared.value);
}

// All stored values of a kernel, one per line: lengths precede the names, so line breaks in them
// cannot make two kernels look equal.
std::string described(const TrackedKernel& kernel) {
    const KernelKey& key = kernel.key;
    std::string text =
        fmt::format("{}:{} {} {}:{} {}\n{}:{} {}\n", key.device.size(), key.device, key.batch,
                    key.full_name.size(), key.full_name, key.invocation, kernel.layer.size(),
                    kernel.layer, kernel.pass ? name_of(*kernel.pass) : "");
    text += kernel.launch ? described(*kernel.launch) : "";
    text += kernel.time ? fmt::format(" {}", kernel.time->count()) : "";
    for (const MetricResult& metric : kernel.metrics) {
        text += fmt::format("\n{}:{} {} {}", metric.name.size(), metric.name,
                            metric.value ? fmt::format("{}", *metric.value) : "-", metric.reason);
    }
    return text;
}

std::string content_hash(const KernelSet& set) {
    if (set.run != 0) {
        return fmt::format("run {}", set.run);  // traces of different runs differ
    }
    std::uint64_t hash = hash_of(set.network);
    for (const TrackedKernel& kernel : set.kernels) {
        hash = hash_of(described(kernel), hash);
    }
    return fmt::format("{}:{:016x}", set.kernels.size(), hash);
}

void refuse_repeated_keys(const KernelSet& set) {
    if (const auto key = repeated_key(set)) {
        throw Error(fmt::format(
            "{}: kernel {} of {} at batch {} has invocation {} twice; the "
            "these identify the kernels of one iteration",
            set.source.empty() ? set.network : printable(set.source, 1000),
            printable(key->full_name), printable(key->device), key->batch, key->invocation));
    }
}

std::optional<std::int64_t> stored_before(const Database& database, const std::string& content) {
    Statement find(database, "SELECT id FROM kernel_set WHERE content = ?");
    return find.start(content).next() ? std::optional(find.integer(0)) : std::nullopt;
}

class KernelWriter {
public:
    explicit KernelWriter(const Database& database) : database_(database), texts_(database) {}

    void insert_set(KernelSet& set, const std::string& content) {
        Statement(database_,
                  "INSERT INTO kernel_set (created, origin, network, source, content) VALUES "
                  "(coalesce(?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), ?, ?, ?, ?)")
            .run(set.created.empty() ? std::nullopt : std::optional(set.created),
                 name_of(set.origin), set.network, set.source, content);
        set.id = database_.last_inserted_id();
        std::int64_t position = 0;
        for (const TrackedKernel& kernel : set.kernels) {
            insert_kernel(set.id, position++, kernel);
            const std::int64_t id = database_.last_inserted_id();
            store_knowledge(id, kernel);
            insert_metrics(id, kernel);
        }
    }

private:
    void insert_kernel(std::int64_t set, std::int64_t position, const TrackedKernel& kernel) {
        kernel_.run(set, texts_.id_of(kernel.key.device), kernel.key.batch,
                    texts_.id_of(kernel.key.full_name), kernel.key.invocation, position,
                    texts_.id_of(kernel.name));
    }

    // Stores the optional values of a kernel.
    void store_knowledge(std::int64_t id, const TrackedKernel& kernel) {
        if (kernel.pass) {
            layer_.run(texts_.id_of(kernel.layer), name_of(*kernel.pass), id);
        }
        if (kernel.time) {
            time_.run(kernel.time->count(), id);
        }
        if (kernel.launch) {
            store_launch(id, *kernel.launch);
        }
    }

    void store_launch(std::int64_t kernel, const LaunchShape& launch) {
        launch_.run(launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                    launch.block.z, launch.registers, whole_count(launch.static_shared.value),
                    whole_count(launch.dynamic_shared.value), kernel);
    }

    void insert_metrics(std::int64_t kernel, const TrackedKernel& tracked) {
        for (const MetricResult& metric : tracked.metrics) {
            const auto reason = metric.value ? std::nullopt : std::optional(metric.reason);
            metric_.run(kernel, texts_.id_of(metric.name), metric.unit, metric.value, reason);
        }
    }

    const Database& database_;
    TextTable texts_;
    Statement kernel_{database_,
                      "INSERT INTO kernel (kernel_set, device, batch, full_name, invocation, "
                      "position, name) VALUES (?, ?, ?, ?, ?, ?, ?)"};
    Statement layer_{database_, "UPDATE kernel SET layer = ?, pass = ? WHERE id = ?"};
    Statement time_{database_, "UPDATE kernel SET time_ns = ? WHERE id = ?"};
    Statement launch_{database_,
                      "UPDATE kernel SET grid_x = ?, grid_y = ?, grid_z = ?, block_x = ?, block_y "
                      "= ?, block_z = ?, registers = ?, static_shared = ?, dynamic_shared = ? "
                      "WHERE id = ?"};
    Statement metric_{database_,
                      "INSERT INTO kernel_metric (kernel, metric, unit, value, reason) VALUES "
                      "(?, ?, ?, ?, ?)"};
};

}  // namespace

void store_kernels_within(const Database& database, KernelSet& set) {
    const std::string content = content_hash(set);
    Statement(database, "DELETE FROM kernel_set WHERE content = ?").run(content);
    KernelWriter(database).insert_set(set, content);
}

Stored store_kernels(const Database& database, KernelSet& set) {
    refuse_repeated_keys(set);
    const std::string content = content_hash(set);
    Transaction transaction(database);
    if (const auto id = stored_before(database, content)) {
        set.id = *id;
        return Stored::before;
    }
    KernelWriter(database).insert_set(set, content);
    transaction.commit();
    return Stored::anew;
}

KeyCount count_keys(const Database& database, std::int64_t set) {
    Statement sums(database,
                   "SELECT sum(kernels), sum(keys), sum(name_keys) FROM kernel_census WHERE "
                   "kernel_set = ?");
    sums.start(set).next();
    return {sums.integer(0), sums.integer(1), sums.integer(2)};
}

Table kernel_census(const Database& database, std::int64_t set) {
    const std::string counts =
        "origin, device, batch, kernels, forward, backward_data, backward_weights, updates, "
        "unattributed, "
        "names, full_names, time_s FROM kernel_census";
    Table table = query(
        database,
        set == 0
            ? "SELECT kernel_set, network, " + counts + " ORDER BY kernel_set DESC, device, batch"
            : fmt::format("SELECT kernel_set, {} WHERE kernel_set = {} ORDER BY device, batch",
                          counts, set),
        Numbers::scaled);
    table.title = "kernels by device and batch";
    table.records = "kernels";
    return table;
}

Table shared_kernels(const Database& database, std::int64_t set) {
    Table table = query(database,
                        fmt::format("SELECT kernel_set, origin, device, batch, pass, name, "
                                    "variants, layers, kernels, time_s "
                                    "FROM kernel_use WHERE kernel_set = {} AND layers > 1 "
                                    "ORDER BY layers DESC, device, batch, pass, name",
                                    set),
                        Numbers::scaled);
    table.title = "kernels that serve several layers";
    table.records = "shared_kernels";
    return table;
}

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
