// SPDX-License-Identifier: MIT
#include "analyze/next_command.h"

#include "analyze/advice.h"
#include "analyze/compare.h"
#include "record/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace strata {

namespace {

bool is_plain(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) ||
           std::string_view("-_./:=,+@%").find(letter) != std::string_view::npos;
}

// A word as a POSIX shell takes it; nothing where a terminal could not show it as it is.
std::optional<std::string> quoted(const std::string& word) {
    const auto is_visible = [](char letter) { return letter >= ' ' && letter <= '~'; };
    if (word.empty() || word.front() == '-' || !std::ranges::all_of(word, is_visible)) {
        return std::nullopt;
    }
    if (std::ranges::all_of(word, is_plain)) {
        return word;
    }
    std::string quoted = "'";
    for (const char letter : word) {
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return quoted + "'";
}

// A glob that one layer matches: what means something in a glob stands for any letter.
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

bool says(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

bool is_on_gpu(const Run& run) {
    return run.settings.backend == "cuda";
}

bool is_on_onednn(const Run& run) {
    return run.settings.backend == "onednn";
}

bool is_f32(const Run& run) {
    return run.settings.execution.numerics.dtype == DataType::f32;
}

// What all processors together did needs no flag.
bool tells_threads(const Run& run) {
    const std::string processors = known(run, "cpu.logical");
    const bool is_usual =
        processors.empty() || processors == std::to_string(run.settings.threads());
    return !is_usual && !is_on_gpu(run) && run.origin != Origin::modelled;
}

// oneDNN 3 has no Winograd for x86 any more, and 2 only one for AVX-512.
bool has_winograd(const Run& run) {
    return is_on_onednn(run) && is_f32(run) && known(run, "backend.version").starts_with("2.") &&
           says(known(run, "backend.details"), "avx512");
}

bool could_use_bf16(const Run& run) {
    const std::string details = known(run, "backend.details");
    const bool multiplies_bf16 =
        is_on_gpu(run) || (is_on_onednn(run) && (says(details, "bf16") || says(details, "amx")));
    return is_f32(run) && multiplies_bf16;
}

// The batch of a file may be fixed in it.
bool takes_any_batch(const std::string& network) {
    constexpr std::array<std::string_view, 4> files = {".onnx", ".graph", ".dnnmark",
                                                       ".dnntemplate"};
    return std::ranges::none_of(files, [&](auto ending) { return network.ends_with(ending); });
}

// What of a run's settings a further run keeps, word by word.
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

    // All that decides what is measured but the batch and what `replaced` names.
    CommandLine& settings(std::initializer_list<std::string_view> replaced = {}) {
        backend();
        for (const Option& option : all_options()) {
            if (std::ranges::find(replaced, option.name) == replaced.end()) {
                add(option);
            }
        }
        for (const auto& [name, value] : run_.settings.dims) {
            line_ += " --dim";
            word(fmt::format("{}={}", name, value));
        }
        for (const auto* changed : {&run_.settings.variables, &run_.settings.device_changes}) {
            for (const auto& [name, value] : *changed) {
                line_ += " --set";
                word(name + "=" + value);
            }
        }
        return *this;
    }

    // Those that `strata algorithms` knows.
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
            line_ += is_on_onednn(run_) ? "" : " --backend " + run_.settings.backend;
        }
    }

    // A stored tuning is taken again without being asked for.
    bool is_of_tuning(const Option& option) const {
        return is_tuned(run_.settings) && (option.name == "algorithm" || option.name == "choices");
    }

    // (How long is measured does not decide what is measured.)
    void add(const Option& option) {
        const Settings& settings = run_.settings;
        const bool is_said =
            option.name == "threads" ? tells_threads(run_) : !is_default(settings, option);
        if (!is_said || is_of_tuning(option) || option.group == OptionGroup::measurement ||
            settings.unknown.contains(std::string(option.name))) {
            return;
        }
        line_ += fmt::format(" {}", option.flag);
        if (option.value != OptionValue::none) {
            word(option.text(settings));
        }
    }

    void word(const std::string& text) {
        const auto said = quoted(text);
        can_be_said_ = can_be_said_ && said;
        line_ += " " + said.value_or("");
    }

    const Run& run_;
    std::string line_;
    bool can_be_said_ = true;
};

std::string both_algorithms(const Run& run) {
    return CommandLine(run)
        .verb("run")
        .batch()
        .settings({"algorithm"})
        .with("--algorithm direct,winograd")
        .text();
}

std::string every_algorithm(const Run& run, const StepResult& step) {
    return CommandLine(run).verb("algorithms").batch().common().slice(step).text();
}

std::string both_types(const Run& run) {
    return could_use_bf16(run) ? CommandLine(run)
                                     .verb("run")
                                     .batch()
                                     .settings({"dtype"})
                                     .with("--dtype f32,bf16")
                                     .text()
                               : "";
}

std::string larger_batches(const Run& run) {
    const std::int64_t batch = run.settings.batch;
    return takes_any_batch(run.settings.network)
               ? CommandLine(run)
                     .verb("run")
                     .settings()
                     .with(fmt::format("--vary batch={}..{}", batch, 4 * batch))
                     .text()
               : "";
}

// The layer by itself: whether it is slow, or its neighbours leave it the caches so.
std::string alone(const Run& run, const StepResult& step) {
    if (is_on_gpu(run)) {
        return CommandLine(run)
            .verb("run")
            .batch()
            .settings({"slice"})
            .slice(step)
            .with("--counters default")
            .text();
    }
    return is_on_onednn(run) ? CommandLine(run)
                                   .verb("run")
                                   .batch()
                                   .settings({"slice", "caches"})
                                   .slice(step)
                                   .with("--cache warm")
                                   .text()
                             : "";
}

std::string first_of(std::initializer_list<std::string> commands) {
    for (const std::string& command : commands) {
        if (!command.empty()) {
            return command;
        }
    }
    return "";
}

bool is_product(const StepResult& step) {
    return step.operation == "fully_connected" || step.operation == "matmul";
}

std::string command_on_compute(const Run& run, const StepResult& step, const StepBound& bound) {
    const bool is_convolution = step.operation == "convolution" && step.pass != Pass::update;
    const bool other_algorithm =
        is_convolution && (is_on_gpu(run) || (has_winograd(run) && winograd_fits(step)));
    if (*bound.achieved >= good_share) {
        return first_of(
            {other_algorithm && !is_on_gpu(run) ? both_algorithms(run) : "", both_types(run)});
    }
    return first_of({other_algorithm ? every_algorithm(run, step) : "", larger_batches(run)});
}

std::string command_on_traffic(const Run& run, const StepResult& step) {
    if (step.pass == Pass::update || is_product(step)) {
        return larger_batches(run);
    }
    if (is_on_gpu(run) && step.operation != "convolution" &&
        run.settings.execution.engine.fusion == Fusion::none) {
        return CommandLine(run).verb("run").batch().settings().with("--fuse off,on").text();
    }
    return both_types(run);
}

std::string command_on_overhead(const Run& run, const StepResult& step) {
    if (is_on_onednn(run) && is_unoptimised(step)) {
        return "strata doctor";  // tells what newer library can be had
    }
    return first_of({is_product(step) ? larger_batches(run) : "", alone(run, step)});
}

}  // namespace

bool winograd_fits(const StepResult& step) {
    return step.algorithm != "winograd" && is_for_winograd(step);
}

std::string command_for(const Run& run, const StepResult& step, const StepBound& bound) {
    if (step.kind == StepKind::reorder) {
        return "";  // its neighbours' choice
    }
    if (run.origin == Origin::modelled) {
        return CommandLine(run)
            .verb("predict")
            .batch()
            .settings({"algorithm"})
            .explain(step)
            .text();
    }
    switch (bound.verdict) {
        case Bottleneck::compute:
            return command_on_compute(run, step, bound);
        case Bottleneck::memory:
        case Bottleneck::cache:
            return command_on_traffic(run, step);
        case Bottleneck::overhead:
            return command_on_overhead(run, step);
        case Bottleneck::unknown:
            return "";
    }
    return "";
}

}  // namespace strata
