// SPDX-License-Identifier: MIT
#include "view/description.h"

#include "base/enumeration.h"
#include "base/unit_text.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace strata {

namespace {

template <class Q>
Cell fact_cell(const std::optional<Fact<Q>>& fact, const char* unit) {
    return fact ? Cell(Number{
                      .value = fact->value.value, .unit = unit, .provenance = Provenance::imported})
                : Cell(Missing{"no source states it"});
}

// The peak as stated, or as derived from the highest known clock.
Cell f32_peak_cell(const DeviceDescription& device) {
    if (device.f32_peak) {
        return fact_cell(device.f32_peak, "FLOP/s");
    }
    const auto derived =
        derived_f32_peak(device, device.boost_clock ? device.boost_clock : device.base_clock);
    return derived
               ? Cell(Number{
                     .value = derived->value, .unit = "FLOP/s", .provenance = Provenance::derived})
               : Cell(Missing{"no source states it"});
}

std::vector<Cell> number_row(const DeviceDescription& device, std::string name,
                             const DescribedNumber& number, std::string meaning) {
    return {std::move(name),
            text_with_unit(number.value, number.unit),
            Number{.value = number.value},
            std::string(number.unit),
            std::move(meaning),
            number.source,
            flag_cell(number.is_doubtful),
            device.name};
}

void add_derived(Table& table, const DeviceDescription& device) {
    for (const auto& [name, clock] :
         {std::pair{"base", device.base_clock}, std::pair{"boost", device.boost_clock}}) {
        if (const auto peak = derived_f32_peak(device, clock)) {
            table.rows.push_back(
                number_row(device, fmt::format("f32_peak_at_{}_clock", name),
                           {peak->value, "FLOP/s", "derived: 2 × processors × lanes × clock"},
                           "fp32 arithmetic"));
        }
    }
}

// What no source states and a prediction would use.
Table missing_table(const DeviceDescription& device) {
    Table table{.columns = {{"fact", "missing", Importance::essential},
                            {"meaning", "meaning", Importance::normal},
                            {"without", "without it", Importance::essential}},
                .records = "missing"};
    for (const DeviceField& field : device_fields()) {
        const bool counts = device.kind == DeviceKind::gpu && !field.without.empty();
        if (counts && !number_of(device, field)) {
            table.rows.push_back(
                {std::string(field.key), std::string(field.meaning), std::string(field.without)});
        }
    }
    if (table.rows.empty()) {  // and people need no headings
        std::ranges::fill(table.columns | std::views::transform(&Column::audience), Audience::data);
    }
    return table;
}

}  // namespace

Document descriptions_document(std::span<const DeviceDescription> devices) {
    static const Columns<DeviceDescription> columns = {
        {{"name", "name", Importance::essential}, &DeviceDescription::name},
        {{"model", "model"}, &DeviceDescription::model},
        {{"device_kind", "kind", Importance::detail}, &DeviceDescription::kind},
        {{"architecture", "architecture"}, &DeviceDescription::architecture},
        {{"processors", "processors"},
         [](auto& device) { return fact_cell(device.processors, ""); }},
        {{"f32_peak_flop_per_s", "f32 peak", Importance::essential}, f32_peak_cell},
        {{"f16_peak_flop_per_s", "16-bit peak", Importance::essential},
         [](auto& device) {
             return fact_cell(device.f16_peak ? device.f16_peak : device.bf16_peak, "FLOP/s");
         }},
        {{"l2_bytes", "L2"}, [](auto& device) { return fact_cell(device.l2, "B"); }},
        {{"bandwidth_b_per_s", "bandwidth", Importance::essential},
         [](auto& device) { return fact_cell(device.dram_bandwidth, "B/s"); }},
        {{"memory_bytes", "memory", Importance::essential},
         [](auto& device) { return fact_cell(device.memory, "B"); }},
        {{"power_w", "power"}, [](auto& device) { return fact_cell(device.power, "W"); }}};
    Table table = table_of(columns, devices, {.records = "devices"});
    table.notes.emplace_back(
        "As documents state them; an f32 peak that no document states is derived from the highest "
        "clock.");
    table.notes.emplace_back(
        "strata show --device NAME gives the source of every number. NAME may be a file of your "
        "own.");
    return {.title = "devices", .blocks = {std::move(table)}, .kind = "list"};
}

Document description_document(const DeviceDescription& device) {
    Table table{.columns = {{"fact", "number", Importance::essential},
                            people_column("shown", "value"),
                            data_column("value"),
                            data_column("unit"),
                            {"meaning", "meaning", Importance::normal},
                            {"source", "source", Importance::essential},
                            data_column("doubtful"),
                            data_column("device")},
                .records = "facts"};
    for (const DeviceField& field : device_fields()) {
        if (const auto number = number_of(device, field)) {
            table.rows.push_back(
                number_row(device, std::string(field.key), *number, std::string(field.meaning)));
            if (number->is_doubtful) {
                table.notes.push_back(fmt::format(
                    "Doubtful: the best value of {} did not repeat when it was measured, because "
                    "the machine was disturbed; the true value is higher.",
                    field.key));
            }
        }
    }
    add_derived(table, device);
    for (const std::string& contradiction : contradictions(device)) {
        table.notes.push_back("Contradiction: " + contradiction + ".");
    }
    table.notes.push_back(what_follows(device));
    return {.title = fmt::format("{}: {}, {}", device.name, device.model, device.architecture),
            .blocks = {std::move(table), missing_table(device)},
            .kind = "device"};
}

}  // namespace strata
