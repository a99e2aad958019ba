// SPDX-License-Identifier: MIT
#include "analyze/next_command.h"

#include "analyze/advice.h"

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

// What all processors together did needs no flag.
std::string threads_flag(const Run& run) {
    const std::string processors = known(run, "cpu.logical");
    const bool is_usual = processors.empty() || processors == std::to_string(run.settings.threads);
    return is_usual || is_on_gpu(run) ? "" : fmt::format(" --threads {}", run.settings.threads);
}

// oneDNN 3 has no Winograd for x86 any more, and 2 only one for AVX-512.
bool has_winograd(const Run& run) {
    return is_on_onednn(run) && run.settings.dtype == "f32" &&
           known(run, "backend.version").starts_with("2.") &&
           says(known(run, "backend.details"), "avx512");
}

bool could_use_bf16(const Run& run) {
    const std::string details = known(run, "backend.details");
    const bool multiplies_bf16 =
        is_on_gpu(run) || (is_on_onednn(run) && (says(details, "bf16") || says(details, "amx")));
    return run.settings.dtype == "f32" && multiplies_bf16;
}

// The batch of a file may be fixed in it.
bool takes_any_batch(const std::string& network) {
    constexpr std::array<std::string_view, 4> files = {".onnx", ".graph", ".dnnmark",
                                                       ".dnntemplate"};
    return std::ranges::none_of(files, [&](auto ending) { return network.ends_with(ending); });
}

// The flag of a further setting, as `strata run` takes it: "" where it is none of a command line's.
std::string flag_of(const std::string& name, const std::string& value) {
    if (name.starts_with("dim ")) {
        return fmt::format("--dim {}={}", name.substr(4), value);
    }
    if (name == "first_layer_gradient") {
        return "--first-layer-gradient";
    }
    if (name == "single_precision") {
        return "--tf32";
    }
    if (name == "pinned") {
        return "--unpinned";
    }
    for (const std::string_view same : {"optimizer", "layout", "l1", "fuse"}) {
        if (name == same) {
            return fmt::format("--{} {}", name, value);
        }
    }
    return name == "caches" ? "--cache " + value : "";
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
    CommandLine& settings(std::string_view replaced = "") {
        const Settings& settings = run_.settings;
        line_ += settings.mode == "inference" ? " --inference" : "";
        common(replaced);
        if (settings.algorithm != "direct" && !settings.algorithm.empty() &&
            replaced != "algorithm") {
            line_ += " --algorithm " + settings.algorithm;
        }
        for (const auto& [name, value] : settings.further) {
            const std::string flag = name == replaced ? "" : flag_of(name, value);
            line_ += flag.empty() ? "" : " " + flag;
            if (name == "slice" && replaced != "slice") {
                line_ += " --slice";
                word(value);
            } else if (name.starts_with("variable ")) {
                line_ += " --set";
                word(name.substr(9) + "=" + value);
            }
        }
        return *this;
    }

    // Those that `strata algorithms` knows.
    CommandLine& common(std::string_view replaced = "") {
        const Settings& settings = run_.settings;
        line_ += is_on_onednn(run_) ? "" : " --backend " + settings.backend;
        line_ += settings.dtype == "f32" || replaced == "dtype" ? "" : " --dtype " + settings.dtype;
        line_ += threads_flag(run_);
        return *this;
    }

    CommandLine& slice(const StepResult& step) {
        line_ += " --slice";
        word(glob_of(step.layer));
        return *this;
    }

    CommandLine& with(const std::string& flags) {
        line_ += " " + flags;
        return *this;
    }

    std::string text() const { return can_be_said_ ? line_ : ""; }

private:
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
        .settings("algorithm")
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
                                     .settings("dtype")
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
            .settings("slice")
            .slice(step)
            .with("--counters default")
            .text();
    }
    return is_on_onednn(run) ? CommandLine(run)
                                   .verb("run")
                                   .batch()
                                   .settings("slice")
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
        !run.settings.further.contains("fuse")) {
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
    if (step.kind == "reorder") {
        return "";  // its neighbours' choice
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
