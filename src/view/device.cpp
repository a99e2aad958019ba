// SPDX-License-Identifier: MIT
#include "view/device.h"

#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

Document device_document(const Device& device) {
    Table table;
    table.columns = {{"ceiling", "ceiling", Importance::essential},
                     {"at_most", "at most", Importance::essential},
                     {"capacity_bytes", "capacity", Importance::normal},
                     {"source", "source", Importance::normal}};
    for (const auto& compute : device.compute) {
        table.rows.push_back({compute.dtype + " peak",
                              number_cell(compute.peak.value.value, "FLOP/s"), Missing{},
                              compute.peak.source});
    }
    for (const auto& level : device.memory) {
        table.rows.push_back(
            {level.name + " bandwidth", number_cell(level.bandwidth.value.value, "B/s"),
             optional_cell(level.capacity, [](Bytes bytes) { return bytes_cell(bytes); }),
             level.bandwidth.source});
    }
    if (device.launch) {
        table.rows.push_back(
            {"launch", time_cell(device.launch->value), Missing{}, device.launch->source});
    }
    return {fmt::format("{}: {}, {} thread{}", device.name, device.model, device.threads,
                        device.threads == 1 ? "" : "s"),
            {std::move(table)}};
}

}  // namespace strata
