// SPDX-License-Identifier: MIT
#include "view/what_if.h"

#include "report/format.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A prediction is not a measurement, whatever it is computed from.
constexpr Provenance predicted = Provenance::modelled;

std::string text_of(const Ratio& ratio) {
    return ratio.has_interval()
               ? fmt::format("{:.3g} [{:.3g}, {:.3g}]", ratio.value, ratio.low, ratio.high)
               : fmt::format("{:.3g}", ratio.value);
}

std::string what_is_saved(const FusionFindings& findings) {
    const FusionForecast& forecast = findings.forecast;
    const std::string begin =
        fmt::format("Fusing {} of {} into the steps before {} is predicted to save {:.3g} ms",
                    forecast.layers.size() == 1 ? "one layer"
                                                : fmt::format("{} layers", forecast.layers.size()),
                    findings.run.settings.network, forecast.layers.size() == 1 ? "it" : "them",
                    1e3 * forecast.gain->median.value);
    return forecast.expected
               ? begin + fmt::format(" of {:.3g} ms: {} times the time, by {}.",
                                     1e3 * forecast.now->median.value, text_of(*forecast.expected),
                                     name_of(findings.method))
               : begin + ".";
}

std::string what_was_measured(const FusionFindings& findings) {
    if (!findings.refusal.empty()) {
        return fmt::format(" It was not measured: {}.", findings.refusal);
    }
    if (!findings.measured || !findings.measured->whole.ratio) {
        return {};
    }
    const Ratio& ratio = *findings.measured->whole.ratio;
    const auto& expected = findings.forecast.expected;
    const std::string judged = !expected                 ? ""
                               : agree(*expected, ratio) ? ": the prediction agrees"
                               : ratio.value > expected->value
                                   ? ": fusion saves less than predicted"
                                   : ": fusion saves more than predicted";
    return fmt::format(" Measured in turn it was {} times{}.", text_of(ratio), judged);
}

Cell estimate_cell(const std::optional<Estimate>& time, Provenance provenance) {
    return optional_cell(time, [&](const Estimate& one) { return time_cell(one, provenance); });
}

Cell ratio_or_missing(const std::optional<Ratio>& ratio, Provenance provenance) {
    return optional_cell(ratio, [&](const Ratio& one) {
        Number number = std::get<Number>(ratio_cell(one));
        number.provenance = provenance;
        return number;
    });
}

Table summary_table(const FusionFindings& findings) {
    Table table{
        .columns = {{.key = "forecast", .title = "iteration", .importance = Importance::essential},
                    {.key = "end_to_end_s", .title = "time", .bounds = Bounds::interval},
                    {.key = "ratio", .title = "ratio", .bounds = Bounds::interval},
                    data_column("origin")},
        .records = "forecasts"};
    const Provenance given = times_of(findings.run.origin);
    const auto text = [](Origin origin) { return std::string(name_of(origin)); };
    table.rows.push_back(
        {"now", estimate_cell(findings.forecast.now, given), Missing{}, text(findings.run.origin)});
    table.rows.push_back({"predicted", estimate_cell(findings.forecast.after, predicted),
                          ratio_or_missing(findings.forecast.expected, predicted),
                          text(Origin::modelled)});
    if (findings.measured) {
        const ComparedTime& whole = findings.measured->whole;
        table.rows.push_back({"measured off", estimate_cell(whole.before, Provenance::measured),
                              Missing{}, text(Origin::measured)});
        table.rows.push_back({"measured on", estimate_cell(whole.after, Provenance::measured),
                              ratio_or_missing(whole.ratio, Provenance::measured),
                              text(Origin::measured)});
    }
    return table;
}

std::string note_on(FusionMethod method) {
    return method == FusionMethod::traffic
               ? "traffic: a fused layer's time shrinks with its traffic, down to its arithmetic "
                 "at the peak; forward passes only. The interval covers the measured times, "
                 "including the iteration's, but not the error of the method."
               : "removal: all passes of the fused ReLUs are saved, as if the layers were deleted "
                 "(Dong et al. 2018). The interval covers the measured times, including the "
                 "iteration's, but not the error of the method.";
}

Table layers_table(const FusionFindings& findings) {
    Table table{.title = "Fused layers",
                .columns = {{.key = "layer", .title = "layer", .importance = Importance::essential},
                            {.key = "fused_into", .title = "fused into"},
                            {.key = "operator", .title = "operator"},
                            {.key = "before_s", .title = "now", .bounds = Bounds::interval},
                            {.key = "saved_s", .title = "saved", .bounds = Bounds::interval}},
                .records = "layers"};
    for (const FusedLayer& layer : findings.forecast.layers) {
        table.rows.push_back({layer.layer, layer.into, layer.operation,
                              time_cell(layer.now, derived_from(findings.run.origin)),
                              time_cell(layer.gain, predicted)});
    }
    add_origin(table, Origin::modelled);
    table.notes.push_back(note_on(findings.method));
    table.notes.push_back(fmt::format("{} fewer steps, {:.3g} MB less traffic in an iteration.",
                                      findings.forecast.steps_saved,
                                      findings.forecast.traffic_saved.value / 1e6));
    return table;
}

}  // namespace

Document what_if_document(const FusionFindings& findings) {
    const std::string title =
        fmt::format("run {} with {} fused", findings.run.id,
                    findings.scope == FusionScope::all ? "what can be" : "convolutions and ReLUs");
    return {.title = title,
            .blocks = {Lead{what_is_saved(findings) + what_was_measured(findings)},
                       summary_table(findings), layers_table(findings)},
            .kind = "what-if"};
}

}  // namespace strata
