// SPDX-License-Identifier: MIT
#include "backend/lower/program.h"

#include <fmt/format.h>

namespace strata {

std::vector<Lifetime> lifetimes_of(std::span<const PlannedBuffer> buffers, std::size_t steps) {
    std::vector<Lifetime> lifetimes;
    for (const PlannedBuffer& buffer : buffers) {
        const bool always = buffer.life == Life::persistent;
        lifetimes.push_back({.size = {static_cast<double>(buffer.bytes)},
                             .first_task = always ? 0 : buffer.first_step,
                             .last_task = always ? steps : buffer.last_step});
    }
    return lifetimes;
}

void refuse_omitted(const Execution& execution, const Layer& layer, Pass pass) {
    for (const Omission& omission : execution.scheduling.omissions) {
        if (omission.layer == layer.name && omission.pass == pass) {
            throw Refusal{omission.reason};
        }
    }
}

std::string text_of(const StepChoice& choice) {
    if (!choice.fell_back()) {
        return choice.source;
    }
    const std::string by = choice.source.empty() ? "" : fmt::format(" ({})", choice.source);
    return fmt::format("instead of {}{}: {}", choice.asked, by, choice.reason);
}

Step step_of(const Task& task, StepKind kind, StepText text, Bytes workspace, Bytes moved) {
    Step step;
    step.layer = task.layer;
    step.pass = task.pass;
    step.kind = kind;
    step.implementation_kind = kind_of_implementation(text.implementation);
    step.implementation = std::move(text.implementation);
    step.algorithm = std::move(text.algorithm);
    step.choice = std::move(text.choice);
    step.operations = text.operations;
    step.layout = std::move(text.layout);
    step.workspace = workspace;
    step.moved = moved;
    return step;
}

}  // namespace strata
