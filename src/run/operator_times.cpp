// SPDX-License-Identifier: MIT
#include "run/operator_times.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/builder.h"
#include "run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace strata {

namespace {

// The operator after a small convolution, if it takes images: engines keep images in the layout of
// their convolutions, so readers find them in that layout.
Graph as_in_networks(Graph lone) {
    constexpr std::int64_t channels_before = 16;
    const Layer& layer = lone.layers.front();
    const Signature signature = signature_of(lone, layer);
    const Tensor& image = signature.inputs.front().tensor;
    const bool is_image = image.dims.size() == 4 && is_floating(image.dtype) &&
                          !std::holds_alternative<Convolution>(layer.op);
    std::size_t images = 0;
    for (const Operand& operand : signature.inputs) {
        images += operand.role == Role::input && operand.tensor == image ? 1U : 0U;
        if (operand.role == Role::input && operand.tensor != image) {
            return lone;
        }
    }
    if (!is_image || images == 0) {
        return lone;
    }
    GraphBuilder builder("operator");
    Tensor before = image;
    before.dims[1] = channels_before;
    const TensorId data = builder.input("data", before);
    const TensorId made = builder.add(
        "before", Convolution{.out_channels = image.dims[1], .kernel = {1, 1}, .bias = false},
        {data});
    const std::vector<TensorId> operands(images, made);
    builder.add("operator", layer.op, operands);
    return builder.finish();
}

// Nothing for a loss, which inference omits.
std::optional<Job> job_of(const std::string& problem, const Execution& execution) {
    Job job;
    job.request.network = problem;
    job.execution = execution;
    // (The model knows other algorithms by the share of direct convolution's time that they take.)
    job.execution.engine.algorithm = ConvolutionAlgorithm::direct;
    job = planned(std::move(job));
    if (job.plan->graph.layers.empty()) {
        return std::nullopt;
    }
    job.plan = plan_of(as_in_networks(job.plan->graph), execution.numerics);
    return job;
}

OperatorTime operator_in(const Graph& graph) {
    const Layer& layer = graph.layers.back();
    OperatorTime found;
    found.op = layer.op;
    found.signature = signature_of(graph, layer);
    return found;
}

std::vector<OperatorTime> measure_operator(const std::string& text, Backend& backend,
                                           const Execution& execution,
                                           const OperatorEffort& effort) {
    std::vector<OperatorTime> found;
    const auto job = job_of(text, execution);
    if (!job) {
        return found;
    }
    const Graph& graph = job->plan->graph;
    const auto executable = prepare(*job, backend, MemoryReuse::shared);
    executable->run();
    const auto times = take_turn(*executable, effort.turn);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const Step& step = executable->steps()[i];
        const bool is_measured_one = step.layer + 1 == graph.layers.size();
        if (is_measured_one && step.runs()) {
            OperatorTime one = operator_in(graph);
            one.pass = step.pass;
            one.mode = execution.numerics.mode;
            one.kind = step.kind;
            one.time = times[i];
            one.problem = text;
            found.push_back(std::move(one));
        }
    }
    return found;
}

// Keeps the shorter time of each pass. Requires: both have the same passes, or `fastest` has none.
void keep_fastest(std::vector<OperatorTime>& fastest, std::vector<OperatorTime> times) {
    for (std::size_t pass = 0; pass < fastest.size(); ++pass) {
        times[pass].time = std::min(times[pass].time, fastest[pass].time);
    }
    fastest = std::move(times);
}

constexpr std::string_view csv_header = "mode,pass,kind,seconds,operator";
constexpr std::size_t csv_columns = 5;

// The fields of a line; the last one, in quotation marks, may contain commas; empty if there are
// fewer.
std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    while (fields.size() + 1 < csv_columns) {
        const auto comma = line.find(',');
        if (comma == std::string_view::npos) {
            return {};
        }
        fields.push_back(line.substr(0, comma));
        line.remove_prefix(comma + 1);
    }
    if (line.size() < 2 || line.front() != '"' || line.back() != '"') {
        return {};
    }
    fields.push_back(line.substr(1, line.size() - 2));
    return fields;
}

// Nothing if it is not such a line.
std::optional<OperatorTime> parse_operator_time(std::string_view line) {
    const auto fields = fields_of(line);
    if (fields.empty()) {
        return std::nullopt;
    }
    const auto mode = value_named<Mode>(fields[0]);
    const auto kind = value_named<StepKind>(fields[2]);
    const auto seconds = parse_number(fields[3]);
    if (!mode || !kind || !seconds || !(*seconds > 0)) {
        return std::nullopt;
    }
    Execution execution;
    execution.numerics.mode = *mode;
    const auto job = job_of(std::string(fields[4]), execution);
    if (!job) {
        return std::nullopt;
    }
    OperatorTime found = operator_in(job->plan->graph);
    found.pass = parse_pass(fields[1]);
    found.mode = *mode;
    found.kind = *kind;
    found.time = Seconds{*seconds};
    found.problem = fields[4];
    return found;
}

}  // namespace

std::string operator_times_csv(std::span<const OperatorTime> times) {
    std::string text = fmt::format("{}\n", csv_header);
    for (const OperatorTime& one : times) {
        text += fmt::format("{},{},{},{:.6g},\"{}\"\n", name_of(one.mode), name_of(one.pass),
                            name_of(one.kind), one.time.value, one.problem);
    }
    return text;
}

std::vector<OperatorTime> parse_operator_times(std::string_view csv, std::string_view origin) {
    std::vector<OperatorTime> found;
    std::size_t number = 0;
    for (const std::string_view line : split(csv, '\n')) {
        ++number;
        if (number == 1 ? line == csv_header : line.empty()) {
            continue;
        }
        const std::string place = fmt::format("{}, line {}", printable(origin), number);
        try {
            auto one = number == 1 ? std::nullopt : parse_operator_time(line);
            if (!one) {
                throw Error(fmt::format("expected {}, as strata calibrate --operators writes it",
                                        csv_header));
            }
            found.push_back(*std::move(one));
        } catch (const Error& error) {
            throw Error(fmt::format("{}: {}", place, error.what()));
        }
    }
    if (found.empty()) {
        throw Error(fmt::format("{} has no time of an operator", printable(origin)));
    }
    return found;
}

std::vector<std::string> operators_to_measure() {
    std::vector<std::string> found;
    for (const EmbeddedFile& file : operator_files()) {
        for (const std::string_view line : split(file.text, '\n')) {
            const std::string_view text = trim(line);
            if (!text.empty() && text.front() != '#') {
                found.emplace_back(text);
            }
        }
    }
    return found;
}

std::vector<OperatorTime> measure_operators(
    std::span<const std::string> operators, Backend& backend, const Execution& execution,
    const OperatorEffort& effort, const std::function<void(const std::string&, double)>& progress) {
    std::vector<std::vector<OperatorTime>> fastest(operators.size());
    const double all = static_cast<double>(operators.size() * effort.rounds);
    std::size_t done = 0;
    Contest contest;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        contest.add([&, i] {
            if (progress) {
                progress(operators[i], static_cast<double>(done++) / all);
            }
            try {
                keep_fastest(fastest[i],
                             measure_operator(operators[i], backend, execution, effort));
            } catch (const Error& error) {
                if (loses_device(error)) {
                    throw;
                }
            }
            return std::vector<Seconds>();
        });
    }
    while (contest.rounds() < effort.rounds) {
        contest.run_round();
    }
    std::vector<OperatorTime> found;
    for (const auto& times : fastest) {
        found.insert(found.end(), times.begin(), times.end());
    }
    return found;
}

}  // namespace strata
