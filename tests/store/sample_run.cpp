// SPDX-License-Identifier: MIT
#include "tests/store/sample_run.h"

#include "base/enumeration.h"
#include "record/options.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Hexadecimal floats show every bit.
std::string described(const Samples& samples) {
    std::string text;
    for (const Seconds value : samples.values) {
        text += fmt::format(" {:a}", value.value);
    }
    return text;
}

std::string described(const Measurement& measurement) {
    if (const auto* skipped = std::get_if<Skipped>(&measurement)) {
        return "skipped " + skipped->reason;
    }
    if (const auto* failed = std::get_if<Failed>(&measurement)) {
        return "failed " + failed->reason;
    }
    return "samples" + described(std::get<Samples>(measurement));
}

std::string described(const std::map<std::string, std::string>& pairs) {
    std::string text;
    for (const auto& [name, value] : pairs) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

std::string described(const std::vector<MetricResult>& metrics) {
    std::string text;
    for (const MetricResult& metric : metrics) {
        text += fmt::format(" {} {:a}{} {}", metric.name, metric.value.value_or(0), metric.unit,
                            metric.reason);
    }
    return text;
}

std::string described(const TracedSpan& traced) {
    const Span& span = traced.span;
    std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {}", name_of(span.kind), span.name,
                                   span.device, span.stream, span.start.count(), span.end.count(),
                                   traced.layer, traced.pass ? name_of(*traced.pass) : "-",
                                   name_of(traced.evidence), span.bytes ? span.bytes->value : -1);
    if (span.launch) {
        const LaunchShape& launch = *span.launch;
        text +=
            fmt::format(" {} {} {} {} {} {} {} {} {}", launch.grid.x, launch.grid.y, launch.grid.z,
                        launch.block.x, launch.block.y, launch.block.z, launch.registers,
                        launch.static_shared.value, launch.dynamic_shared.value);
    }
    return text + "\n";
}

std::string described(const std::optional<TraceResult>& trace) {
    if (!trace) {
        return "no trace\n";
    }
    std::string text = fmt::format("{} {}\n{}\n{}\n", trace->device, trace->dropped,
                                   described(trace->windows), described(trace->recorded));
    for (const TracedSpan& span : trace->spans) {
        text += described(span);
    }
    return text;
}

std::string described(const std::optional<PredictedInterval>& interval) {
    return interval ? fmt::format("{:.9g} to {:.9g} ({})", interval->low.value,
                                  interval->high.value, interval->basis)
                    : "";
}

std::string described(const StepResult& s) {
    return fmt::format(
        "{} ({}) {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}{} {}{} {}\n", s.layer, s.alias,
        s.operation, name_of(s.pass), name_of(s.kind), s.implementation,
        name_of(s.implementation_kind), s.algorithm, s.layout, s.problem, s.workspace.value,
        s.flops.value, s.read.value, s.written.value, s.launch.value_or(Seconds{-1}).value,
        described(s.interval), described(s.time), described(s.metrics),
        s.counted_at ? static_cast<int>(*s.counted_at) : -1,
        s.verified ? fmt::format(" {:a} of {:a}", s.verified->error, s.verified->tolerance) : "",
        s.seen_in ? fmt::format("{} of {}", s.seen_in->iterations, s.seen_in->of) : "");
}

}  // namespace

std::string described(const Run& run) {
    const Settings& s = run.settings;
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}\n{}\n", run.id, run.created,
                    static_cast<int>(run.origin), run.ran_on ? name_of(*run.ran_on) : "",
                    static_cast<int>(run.state), s.backend, s.network, s.batch, text_of(s, "mode"),
                    text_of(s, "dtype"), s.threads(), text_of(s, "algorithm"), policy_text(s),
                    described(further_settings(s)), run.device ? to_toml(*run.device) : "");
    for (const StepResult& step : run.steps) {
        text += described(step);
    }
    text += fmt::format("{}\n{}\n{}\n{} {} {} {}\n", described(run.whole.end_to_end),
                        described(run.whole.instrumented), described(run.whole.calibration),
                        run.predicted_memory.value,
                        run.measured_memory ? run.measured_memory->value : -1,
                        run.empty_step ? run.empty_step->value : -1, described(run.interval));
    if (run.verified) {
        text += fmt::format("verified {} {}\n", run.verified->compared,
                            run.verified->without_reference);
    }
    for (const Flag& flag : run.flags) {
        text += fmt::format("{} {}\n", kind_text(flag), flag.sentence);
    }
    if (run.work) {
        text += fmt::format("work {:a} {:a} {:a}\n", run.work->flops.value, run.work->read.value,
                            run.work->written.value);
    }
    if (run.infeed) {
        const InfeedResult& infeed = *run.infeed;
        text += fmt::format("infeed {} {} {:a} {:a} {}\n", infeed.source, infeed.images,
                            infeed.encoded.value, infeed.pixels, infeed.threads);
        for (const InfeedSeries& series : infeed_series) {
            text += described(infeed.times.*series.samples) + "\n";
        }
    }
    return text + described(run.trace) + described(run.provenance);
}

}  // namespace strata
