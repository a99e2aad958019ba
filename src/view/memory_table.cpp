// SPDX-License-Identifier: MIT
#include "view/memory_table.h"

#include "analyze/memory_check.h"
#include "view/cells.h"

namespace strata {

namespace {

constexpr const char* not_measured = "the kernel does not report the peak of this process alone";

constexpr const char* not_told = "the profile does not say";

constexpr const char* of_a_process =
    "Measured: the peak resident set of the process minus that before the network was prepared; it "
    "includes copies in other layouts and generated code.";
constexpr const char* of_a_device =
    "Measured: device memory allocated for the network and for the libraries' scratch memory; "
    "memory that the driver keeps for itself and for recorded iterations is not included.";

std::vector<Cell> row(const char* what, const std::optional<Bytes>& bytes,
                      const std::optional<Bytes>& whole, Provenance provenance,
                      const char* reason) {
    const bool comparable = bytes && whole && *whole > Bytes{0};
    return {what,
            optional_cell(
                bytes, [&](Bytes held) { return bytes_cell(held, provenance); }, reason),
            comparable ? percent_cell(*bytes / *whole) : Cell(Missing{reason})};
}

// The device memory that a prediction needs (run/modelled.h).
Table modelled_memory_table(const Run& run, const MemoryCheck& check) {
    Table table;
    table.columns = {{"memory", "memory", Importance::essential},
                     {"bytes", "size", Importance::essential}};
    const auto told = [&](const char* what, const char* key) {
        const auto found = run.provenance.find(key);
        if (found != run.provenance.end()) {
            table.rows.push_back({what, found->second});
        }
    };
    told("weights and statistics", "memory.weights");
    told("the optimizer's state", "memory.optimizer");
    told("activations, the most at a time", "memory.activations");
    told("gradients, likewise", "memory.gradients");
    told("masks and indices, likewise", "memory.saved");
    const auto line = [](const char* what, const std::optional<Bytes>& bytes) {
        return std::vector<Cell>{what, optional_cell(bytes, [](Bytes held) {
                                     return bytes_cell(held, Provenance::modelled);
                                 })};
    };
    table.totals = {line("the network's tensors, by liveness", check.predicted),
                    line("the kernels' scratch memory", check.scratch)};
    told("memory of the device", "device.memory");
    return table;
}

}  // namespace

Table memory_table(const Run& run) {
    if (run.origin == Origin::modelled) {
        return modelled_memory_table(run, memory_check_of(run));
    }
    const MemoryCheck check = memory_check_of(run);
    const char* reason = run.origin == Origin::imported ? not_told : not_measured;
    const auto line = [&](const char* what, const std::optional<Bytes>& bytes,
                          Provenance provenance) {
        return row(what, bytes, check.measured, provenance, reason);
    };
    Table table;
    table.columns = {{"memory", "memory", Importance::essential},
                     {"bytes", "size", Importance::essential},
                     {"of_measured_percent", "of the measured", Importance::normal}};
    table.rows = {line("the network's tensors, by liveness", check.predicted, Provenance::modelled),
                  line("the library's scratch memory", check.scratch, Provenance::modelled)};
    const auto predicted = check.predicted && check.scratch
                               ? std::optional(*check.predicted + *check.scratch)
                               : std::nullopt;
    table.totals = {line("predicted", predicted, Provenance::modelled),
                    line("measured", check.measured, Provenance::measured)};
    table.notes = {run.ran_on_gpu() ? of_a_device : of_a_process};
    if (run.settings.policy.caches == CacheState::cold) {
        table.notes.emplace_back("It includes the memory that makes the caches cold.");
    }
    return table;
}

}  // namespace strata
