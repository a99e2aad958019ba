// SPDX-License-Identifier: MIT
#include "view/memory_table.h"

#include "analyze/memory_check.h"
#include "view/cells.h"

namespace strata {

namespace {

constexpr const char* not_measured = "the kernel does not report the peak of this process alone";

constexpr const char* of_a_process =
    "Measured: the peak resident set of the process minus that before the network was prepared; it "
    "includes copies in other layouts and generated code.";
constexpr const char* of_a_device =
    "Measured: device memory allocated for the network and for the libraries' scratch memory; "
    "memory that the driver keeps for itself and for recorded iterations is not included.";

std::vector<Cell> row(const char* what, Bytes bytes, const std::optional<Bytes>& whole,
                      Provenance provenance) {
    const bool comparable = whole && *whole > Bytes{0};
    return {what, bytes_cell(bytes, provenance),
            comparable ? percent_cell(bytes / *whole) : Cell(Missing{not_measured})};
}

}  // namespace

Table memory_table(const Run& run) {
    const MemoryCheck check = memory_check_of(run);
    const auto line = [&](const char* what, Bytes bytes, Provenance provenance) {
        return row(what, bytes, check.measured, provenance);
    };
    Table table;
    table.columns = {{"memory", "memory", Importance::essential},
                     {"bytes", "size", Importance::essential},
                     {"of_measured_percent", "of the measured", Importance::normal}};
    table.rows = {line("the network's tensors, by liveness", check.predicted, Provenance::modelled),
                  line("the library's scratch memory", check.scratch, Provenance::modelled)};
    table.totals = {line("predicted", check.predicted + check.scratch, Provenance::modelled)};
    table.totals.push_back(check.measured ? line("measured", *check.measured, Provenance::measured)
                                          : std::vector<Cell>{"measured", Missing{not_measured},
                                                              Missing{not_measured}});
    table.notes = {run.provenance.contains("gpu.name") ? of_a_device : of_a_process};
    if (run.settings.policy.caches == CacheState::cold) {
        table.notes.emplace_back("It includes the memory that makes the caches cold.");
    }
    return table;
}

Cell memory_ratio_cell(const Run& run) {
    return optional_cell(
        memory_check_of(run).ratio, [](double ratio) { return percent_cell(ratio); }, not_measured);
}

}  // namespace strata
