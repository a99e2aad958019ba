// SPDX-License-Identifier: MIT
#include "tests/store/sample_run.h"

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

std::string described(const StepResult& s) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", s.layer, s.operation,
                       name_of(s.pass), s.kind, s.implementation, s.algorithm, s.layout, s.problem,
                       s.workspace.value, s.flops.value, s.read.value, s.written.value,
                       described(s.time));
}

}  // namespace

std::string described(const Run& run) {
    const Settings& s = run.settings;
    std::string text = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {}\n{}\n", run.id, run.created,
        static_cast<int>(run.origin), static_cast<int>(run.state), s.backend, s.network, s.batch,
        s.mode, s.dtype, s.threads, s.algorithm, s.policy, described(s.further), run.device);
    for (const StepResult& step : run.steps) {
        text += described(step);
    }
    text += fmt::format("{}\n{}\n{}\n{} {}\n", described(run.whole.end_to_end),
                        described(run.whole.instrumented), described(run.whole.calibration),
                        run.predicted_memory.value,
                        run.measured_memory ? run.measured_memory->value : -1);
    for (const Flag& flag : run.flags) {
        text += fmt::format("{} {}\n", flag.kind, flag.sentence);
    }
    return text + described(run.provenance);
}

}  // namespace strata
