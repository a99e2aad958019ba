// SPDX-License-Identifier: MIT
#include "analyze/next_command.h"

#include "analyze/advice.h"
#include "analyze/compare.h"
#include "base/shell.h"
#include "record/arguments.h"
#include "record/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace strata {

namespace {

// Whether a terminal shows the word unchanged, and no command takes it for an option.
bool can_be_said(const std::string& word) {
    return !word.empty() && word.front() != '-' &&
           std::ranges::all_of(word, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

// A glob that matches one layer: special characters are replaced by '?'.
std::string glob_of(const std::string& layer) {
    std::string glob = layer;
    std::ranges::replace_if(
        glob,
        [](char letter) {
            return std::string_view("*?[],\\").find(letter) != std::string_view::npos;
        },
        '?');
    return glob;
}

std::string known(const Run& run, const std::string& key) {
    const auto found = run.provenance.find(key);
    return found == run.provenance.end() ? "" : found->second;
}

// The default of `strata run` without --backend.
constexpr std::string_view usual_backend = "onednn";

bool can(const Run& run, Capability capability) {
    return capabilities_of(run.settings.backend).has(capability);
}

bool is_f32(const Run& run) {
    return run.settings.execution.numerics.dtype == DataType::f32;
}

// No flag is needed if all processors were used.
bool tells_threads(const Run& run) {
    const std::string processors = known(run, "cpu.logical");
    const bool is_usual =
        processors.empty() || processors == std::to_string(run.settings.threads());
    return !is_usual && !can(run, Capability::profiling) && run.origin != Origin::modelled;
}

// A file may fix its batch.
bool takes_any_batch(const std::string& network) {
    constexpr std::array<std::string_view, 4> files = {".onnx", ".graph", ".dnnmark",
                                                       ".dnntemplate"};
    return std::ranges::none_of(files, [&](auto ending) { return network.ends_with(ending); });
}

// The options that repeat a run's settings, as words.
class CommandLine {
public:
    explicit CommandLine(const Run& run) : run_(run), line_("strata ") {}

    CommandLine& verb(const std::string& name) {
        line_ += name;
        word(run_.settings.network);
        return *this;
    }

    CommandLine& batch() {
        line_ += fmt::format(" --batch {}", run_.settings.batch);
        return *this;
    }

    // All options that decide what is measured, except the batch and those in `replaced`.
    CommandLine& settings(std::initializer_list<std::string_view> replaced = {}) {
        backend();
        for (const Option& option : all_options()) {
            if (std::ranges::find(replaced, option.name) == replaced.end()) {
                add(option);
            }
        }
        words(arguments_of(run_.settings.dims, run_.settings.variables));
        words(arguments_of({}, run_.settings.device_changes));
        return *this;
    }

    // The options that `strata algorithms` knows.
    CommandLine& common() {
        backend();
        add(option_named("dtype"));
        add(option_named("threads"));
        return *this;
    }

    CommandLine& slice(const StepResult& step) {
        line_ += " --slice";
        word(glob_of(step.layer));
        return *this;
    }

    CommandLine& explain(const StepResult& step) {
        line_ += " --explain";
        word(glob_of(step.layer));
        return *this;
    }

    CommandLine& with(const std::string& flags) {
        line_ += " " + flags;
        return *this;
    }

    std::string text() const { return can_be_said_ ? line_ : ""; }

private:
    void backend() {
        if (run_.origin == Origin::modelled) {
            line_ += " --device";
            word(known(run_, "device.name"));
        } else {
            line_ +=
                run_.settings.backend == usual_backend ? "" : " --backend " + run_.settings.backend;
        }
    }

    // A stored tuning is used again by default.
    bool is_of_tuning(const Option& option) const {
        return is_tuned(run_.settings) && (option.name == "algorithm" || option.name == "choices");
    }

    // (The duration does not decide what is measured.)
    void add(const Option& option) {
        const Settings& settings = run_.settings;
        const bool is_said =
            option.name == "threads" ? tells_threads(run_) : !is_default(settings, option);
        if (!is_said || is_of_tuning(option) || option.group == OptionGroup::measurement ||
            settings.unknown.contains(std::string(option.name))) {
            return;
        }
        words(arguments_of(settings, option));
    }

    // Flags, each followed by its value; the last may be a switch.
    void words(const std::vector<std::string>& all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 2 == 0) {
                line_ += " " + all[i];
            } else {
                word(all[i]);
            }
        }
    }

    void word(const std::string& text) {
        can_be_said_ = can_be_said_ && can_be_said(text);
        line_ += " " + shell_word(text);
    }

    const Run& run_;
    std::string line_;
    bool can_be_said_ = true;
};

// The settings that `strata tune` accepts. A run with others uses no tuning.
constexpr std::array<std::string_view, 8> settings_of_tuning = {
    "dtype",           "threads", "pinned", "mode", "first_layer_gradient",
    "workspace_limit", "slice",   "fuse"};

bool is_tunable(const Run& run) {
    const Settings& settings = run.settings;
    return can(run, Capability::algorithm_choices) && !is_tuned(settings) &&
           std::ranges::all_of(all_options(), [&](const Option& option) {
               const bool decides = option.role == OptionRole::experiment &&
                                    option.group != OptionGroup::measurement &&
                                    option.name != "algorithm" && option.name != "choices";
               return !decides || is_default(settings, option) ||
                      std::ranges::find(settings_of_tuning, option.name) !=
                          settings_of_tuning.end();
           });
}

// Smaller savings are not worth a trial.
constexpr double min_saving = 0.05;

Advice worthwhile(Advice advice, Seconds time) {
    return advice.command.empty() || *advice.saving < time * min_saving ? Advice{} : advice;
}

// The most promising offer among those that the step did not use.
std::optional<AlgorithmOffer> best_offer(const Run& run, const StepResult& step) {
    const auto problem = problem_in(step);
    std::optional<AlgorithmOffer> best;
    if (problem) {
        for (const AlgorithmOffer& offer : offers_of(run.settings.backend, *problem, step.pass,
                                                     run.settings.execution.numerics.dtype)) {
            const bool is_taken = name_of(offer.algorithm) == step.algorithm;
            if (!is_taken && (!best || offer.usual_share > best->usual_share)) {
                best = offer;
            }
        }
    }
    return best;
}

Advice other_algorithm(const Run& run, const StepResult& step, const StepBound& bound,
                       Seconds time) {
    const auto best = best_offer(run, step);
    if (!best || !bound.by_definition || !is_tunable(run)) {
        return {};
    }
    return worthwhile(
        {.remedy = Remedy::other_algorithm,
         .command = CommandLine(run).verb("tune").batch().settings({"algorithm", "choices"}).text(),
         .saving = time - *bound.by_definition / best->usual_share,
         .algorithm = best->algorithm},
        time);
}

// The update is always in f32.
Advice narrower_type(const Run& run, const StepResult& step, const StepBound& bound, Seconds time) {
    const Device* device = ceilings_of(run);
    const auto wide = device ? peak_of(*device, "f32") : std::nullopt;
    const auto narrow = device ? peak_of(*device, "bf16") : std::nullopt;
    const bool is_of_traffic = !bound.fixed || bound.verdict != Bottleneck::overhead;
    if (!is_f32(run) || !wide || !narrow || *narrow <= *wide || step.pass == Pass::update ||
        run.origin != Origin::measured || !is_of_traffic || bound.verdict == Bottleneck::kernel) {
        return {};
    }
    const double rest = bound.verdict == Bottleneck::compute ? *wide / *narrow : 0.5;
    return worthwhile({.remedy = Remedy::narrower_type,
                       .command = CommandLine(run)
                                      .verb("run")
                                      .batch()
                                      .settings({"dtype"})
                                      .with("--dtype f32,bf16")
                                      .text(),
                       .saving = time * (1 - rest)},
                      time);
}

bool is_product(const StepResult& step) {
    return step.operation == "fully_connected" || step.operation == "matmul";
}

// The lengths of the rows of a product's operands and result.
std::vector<std::int64_t> rows_of(const Problem& problem) {
    const auto last = [&](std::size_t operand) {
        const Dims& dims = problem.activations.at(operand).tensor.dims;
        return dims.empty() ? 1 : dims.back();
    };
    if (const auto* linear = std::get_if<FullyConnected>(&problem.op)) {
        return {last(0), linear->out_features};
    }
    const auto* product = std::get_if<MatMul>(&problem.op);
    if (product == nullptr || problem.activations.size() < 2) {
        return {};
    }
    const Dims& b = problem.activations[1].tensor.dims;
    const std::int64_t columns = product->transpose_b && b.size() > 1 ? b[b.size() - 2] : last(1);
    return {last(0), last(1), columns};
}

std::string with_larger_batch(const Run& run, const std::string& verb) {
    const std::int64_t batch = run.settings.batch;
    return CommandLine(run)
        .verb(verb)
        .settings()
        .with(fmt::format("--vary batch={}..{}", batch, batch_growth * batch))
        .text();
}

// Moving only weights takes equally long for any batch; a product is not faster than its
// arithmetic.
Advice larger_batch(const Run& run, const StepResult& step, const StepBound& bound, Seconds time) {
    const bool waits_for_weights = step.pass == Pass::update || is_product(step);
    if (!waits_for_weights || bound.verdict == Bottleneck::compute || unaligned_row(run, step) ||
        !takes_any_batch(run.settings.network) || !bound.compute) {
        return {};
    }
    const Seconds spread = time / static_cast<double>(batch_growth);
    const Seconds least = step.pass == Pass::update ? spread : std::max(spread, *bound.compute);
    return worthwhile({.remedy = Remedy::larger_batch,
                       .command = with_larger_batch(run, "run"),
                       .saving = time - least},
                      time);
}

// As many examples in fewer steps need fewer launches.
Advice fewer_launches(const Run& run, const StepResult& step, const StepBound& bound,
                      Seconds time) {
    if (!step.launch || bound.verdict != Bottleneck::overhead ||
        !takes_any_batch(run.settings.network)) {
        return {};
    }
    return worthwhile({.remedy = Remedy::larger_batch,
                       .command = with_larger_batch(run, "predict"),
                       .saving = *step.launch * (1 - 1.0 / batch_growth)},
                      time);
}

bool can_be_included(const Run& run, const StepResult& step) {
    const bool trains = run.settings.execution.numerics.mode == Mode::training;
    const bool is_of_inference = step.operation == "batch_normalization" || step.operation == "add";
    return step.pass == Pass::forward && (step.operation == "relu" || (!trains && is_of_inference));
}

// The step's input is assumed to come from the layer that ran before it. A step includes at most
// three layers: a normalisation, a sum and, last, a ReLU.
bool follows_what_includes_it(const Run& run, std::size_t index) {
    constexpr std::size_t max_included = 3;
    for (std::size_t i = index; i > 0 && index - i < max_included; --i) {
        const std::string& before = run.steps[i - 1].operation;
        if (!can_be_included(run, run.steps[i]) || before == "relu") {
            return false;
        }
        if (before == "convolution" || before == "fully_connected") {
            return true;
        }
    }
    return false;
}

Advice fusion(const Run& run, std::size_t index, Seconds time) {
    if (!can(run, Capability::fusion) || run.origin != Origin::measured ||
        run.settings.execution.engine.fusion != Fusion::none ||
        !follows_what_includes_it(run, index)) {
        return {};
    }
    return worthwhile(
        {.remedy = Remedy::fusion,
         .command =
             CommandLine(run).verb("run").batch().settings({"fuse"}).with("--fuse off,on").text(),
         .saving = time},
        time);
}

// If kernels and counters can be recorded, they tell more.
Advice closer_look(const Run& run, const StepResult& step, const StepBound& bound) {
    if (run.origin == Origin::modelled) {
        return {.remedy = Remedy::closer_look,
                .command = CommandLine(run)
                               .verb("predict")
                               .batch()
                               .settings({"algorithm"})
                               .explain(step)
                               .text()};
    }
    if (run.origin != Origin::measured || !can(run, Capability::profiling) ||
        bound.achieved.value_or(1) >= good_share) {
        return {};
    }
    CommandLine line(run);
    const bool has_algorithms = step.operation == "convolution" && step.pass != Pass::update;
    if (has_algorithms && bound.verdict == Bottleneck::compute) {
        line.verb("algorithms").batch().common().slice(step);
    } else if (bound.verdict == Bottleneck::kernel) {
        line.verb("run").batch().settings({"slice"}).slice(step).with("--counters default");
    } else {
        return {};
    }
    return {.remedy = Remedy::closer_look, .command = line.text()};
}

}  // namespace

std::optional<std::int64_t> unaligned_row(const Run& run, const StepResult& step) {
    constexpr std::int64_t aligned = 8;
    const DataType dtype = run.settings.execution.numerics.dtype;
    const bool is_narrow = dtype == DataType::bf16 || dtype == DataType::f16;
    const auto problem = problem_in(step);
    const bool is_judged =
        run.ran_on_gpu() && (run.origin == Origin::measured || run.origin == Origin::modelled);
    if (!is_narrow || !is_judged || step.kind != StepKind::compute || step.pass == Pass::update ||
        !problem || problem->activations.empty()) {
        return std::nullopt;
    }
    const auto rows = rows_of(*problem);
    const auto found = std::ranges::find_if(rows, [](auto row) { return row % aligned != 0; });
    return found == rows.end() ? std::nullopt : std::optional(*found);
}

Advice advice_for(const Run& run, std::size_t index, const StepBound& bound, Seconds time) {
    const StepResult& step = run.steps[index];
    if (step.kind != StepKind::compute || bound.verdict == Bottleneck::unknown) {
        return {};  // reorders depend on their neighbours
    }
    Advice best;
    if (run.origin == Origin::measured) {
        for (const Advice& one :
             {other_algorithm(run, step, bound, time), fusion(run, index, time),
              larger_batch(run, step, bound, time), narrower_type(run, step, bound, time)}) {
            if (one.remedy != Remedy::none && (!best.saving || *one.saving > *best.saving)) {
                best = one;
            }
        }
    } else {
        best = fewer_launches(run, step, bound, time);
    }
    return best.remedy == Remedy::none ? closer_look(run, step, bound) : best;
}

}  // namespace strata
