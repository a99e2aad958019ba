// SPDX-License-Identifier: MIT
#include "record/options.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "record/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

namespace strata {

namespace {

using Texts = std::span<const std::string_view>;

// ---- text forms of values: each kind with its `text` and `set`

template <NamedEnumeration E>
Texts choices_of() {
    static constexpr auto names = names_of(E{});
    return names;
}

template <auto Part, auto Field>
struct Choice {
    using E = std::remove_cvref_t<decltype((Execution{}.*Part).*Field)>;

    static std::string text(const Settings& settings) {
        return std::string(name_of((settings.execution.*Part).*Field));
    }
    static bool set(Settings& settings, std::string_view text) {
        const auto value = value_named<E>(text);
        (settings.execution.*Part).*Field = value.value_or((settings.execution.*Part).*Field);
        return value.has_value();
    }
};

template <class T>
bool set_whole(T& to, std::string_view text, std::int64_t minimum,
               std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) {
    const auto number = parse_integer(text);
    const bool fits = number && *number >= minimum && *number <= maximum;
    to = fits ? static_cast<T>(*number) : to;
    return fits;
}

bool set_seconds(Seconds& to, std::string_view text, double minimum) {
    const auto number = parse_number(text);
    const bool fits = number && std::isfinite(*number) && *number >= minimum;
    to = fits ? Seconds{*number} : to;
    return fits;
}

// "1%" or "0.01".
bool set_precision(Settings& settings, std::string_view text) {
    const bool percent = text.ends_with('%');
    const auto number = parse_number(text.substr(0, text.size() - (percent ? 1 : 0)));
    const double share = number.value_or(0) / (percent ? 100 : 1);
    const bool fits = share > 0 && share <= 1;
    settings.policy.precision = fits ? share : settings.policy.precision;
    return fits;
}

constexpr std::array<std::string_view, 3> data_types = {"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 2> pinning = {"yes", "no"};
constexpr double min_time_limit = 0.001;
constexpr std::int64_t max_threads = 4096;  // more is a typing error

bool is_among(Texts choices, std::string_view text) {
    return std::ranges::find(choices, text) != choices.end();
}

bool set_data_type(Settings& settings, std::string_view text) {
    const bool known = is_among(data_types, text);
    settings.execution.numerics.dtype =
        known ? parse_data_type(text) : settings.execution.numerics.dtype;
    return known;
}

// Inference trains nothing, whatever was requested.
std::string optimizer_text(const Settings& settings) {
    const Numerics& numerics = settings.execution.numerics;
    return std::string(numerics.mode == Mode::training ? name_of(numerics.optimizer)
                                                       : optimizer_names().front());
}

bool set_optimizer(Settings& settings, std::string_view text) {
    const bool known = is_among(optimizer_names(), text);
    settings.execution.numerics.optimizer =
        known ? find_optimizer(text) : settings.execution.numerics.optimizer;
    return known;
}

constexpr std::string_view no_peer_options = "none";

// "inter-op=2+onednn=off".
std::string peer_options_text(const Settings& settings) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : settings.execution.engine.peer_options) {
        parts.push_back(fmt::format("{}={}", name, value));
    }
    return parts.empty() ? std::string(no_peer_options) : join(parts, "+");
}

bool is_option_word(std::string_view text) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
    return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, fits);
}

bool set_peer_options(Settings& settings, std::string_view text) {
    PeerOptions all;
    for (const std::string_view part :
         text == no_peer_options ? std::vector<std::string_view>() : split(text, '+')) {
        const auto equals = part.find('=');
        const auto name = part.substr(0, equals);
        const auto value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
        if (!is_option_word(name) || !is_option_word(value) || !all.emplace(name, value).second) {
            return false;
        }
    }
    settings.execution.engine.peer_options = std::move(all);
    return true;
}

bool set_choices(Settings& settings, std::string_view text) {
    auto choices = parse_choices(text);
    if (choices) {
        settings.execution.engine.choices = std::move(*choices);
    }
    return choices.has_value();
}

constexpr std::string_view no_limit = "none";

// "64MiB": exact, in the largest unit that divides it.
std::string workspace_limit_text(const Settings& settings) {
    const auto& limit = settings.execution.engine.workspace_limit;
    if (!limit) {
        return std::string(no_limit);
    }
    auto value = static_cast<std::uint64_t>(limit->value);
    std::string_view unit = "B";
    for (const std::string_view larger : {"KiB", "MiB", "GiB"}) {
        const bool divides = value != 0 && value % 1024 == 0;
        if (!divides) {
            break;
        }
        value /= 1024;
        unit = larger;
    }
    return fmt::format("{}{}", value, unit);
}

bool set_workspace_limit(Settings& settings, std::string_view text) {
    const auto limit = parse_byte_size(text);
    if (limit || text == no_limit) {
        settings.execution.engine.workspace_limit = limit;
    }
    return limit || text == no_limit;
}

using ModeChoice = Choice<&Execution::numerics, &Numerics::mode>;
using PrecisionChoice = Choice<&Execution::numerics, &Numerics::single_precision>;
using GradientChoice = Choice<&Execution::numerics, &Numerics::first_layer_gradient>;
using AlgorithmName = Choice<&Execution::engine, &EngineOptions::algorithm>;
using LayoutChoice = Choice<&Execution::engine, &EngineOptions::image_layout>;
using FusionChoice = Choice<&Execution::engine, &EngineOptions::fusion>;
using BiasChoice = Choice<&Execution::engine, &EngineOptions::bias>;
using L1Choice = Choice<&Execution::engine, &EngineOptions::l1>;

// ---- the list: a table, however long

constexpr auto options = std::to_array<Option>({
    {.name = "dtype",
     .flag = "--dtype",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .kept = Kept::in_column,
     .choices = [] { return Texts(data_types); },
     .help = "element type; several are measured and compared",
     .text = [](const Settings& s) { return std::string(name_of(s.execution.numerics.dtype)); },
     .set = set_data_type,
     .requirement = Requirement{Capability::f16, "f16",
                                "does not support f16: choose f32 or bf16 with --dtype"}},
    {.name = "threads",
     .flag = "--threads",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .kept = Kept::in_column,
     .placeholder = "N",
     .expected = "a whole number from 0 to 4096",
     .help = "number of threads; 0 uses every processor available to this process; several are "
             "measured and compared",
     .text = [](const Settings& s) { return std::to_string(s.execution.scheduling.threads); },
     .set =
         [](Settings& s, std::string_view text) {
             return set_whole(s.execution.scheduling.threads, text, 0, max_threads);
         }},
    {.name = "pinned",
     .flag = "--unpinned",
     .group = OptionGroup::execution,
     .value = OptionValue::none,
     .choices = [] { return Texts(pinning); },
     .help = "do not pin threads to processors",
     .text =
         [](const Settings& s) {
             return std::string(pinning[s.execution.scheduling.pinned ? 0 : 1]);
         },
     .set =
         [](Settings& s, std::string_view text) {
             const bool known = is_among(pinning, text);
             s.execution.scheduling.pinned = known ? text == "yes" : s.execution.scheduling.pinned;
             return known;
         }},
    {.name = "algorithm",
     .flag = "--algorithm",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .kept = Kept::in_column,
     .choices = choices_of<ConvolutionAlgorithm>,
     .help =
         "convolution algorithm; auto is what the engine expects to be the fastest for each layer "
         "and pass, winograd leaves the tile open, fastest tries what there is and keeps the "
         "best; a layer that cannot use it falls back to direct; several are measured and "
         "compared",
     .text = AlgorithmName::text,
     .set = AlgorithmName::set,
     .requirement = Requirement{Capability::algorithm_trials, "fastest",
                                "does not try algorithms itself: strata algorithms shows the time "
                                "of each"}},
    {.name = "choices",
     .flag = "--choose",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .placeholder = "CHOICE",
     .expected = "none, or 'LAYERS PASS=ALGORITHM', several joined by +",
     .help = "the algorithm of single layers and passes, overriding --algorithm: 'conv1 "
             "forward=fft', 'fc* forward=matmul', or an implementation of the library: 'conv* "
             "backward_data=brgconv:avx2'; several are measured and compared",
     .text = [](const Settings& s) { return text_of(s.execution.engine.choices); },
     .set = set_choices,
     .requirement = Requirement{Capability::algorithm_choices, "",
                                "takes no algorithm for a single layer: omit --choose"}},
    {.name = "workspace_limit",
     .flag = "--workspace-limit",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .placeholder = "SIZE",
     .expected = "none, or a size such as 64MiB",
     .help = "refuse a convolution algorithm that needs more scratch memory than this; several are "
             "measured and compared",
     .text = workspace_limit_text,
     .set = set_workspace_limit,
     .requirement = Requirement{Capability::workspace_limit, "",
                                "does not limit workspaces: omit --workspace-limit"}},
    {.name = "layout",
     .flag = "--layout",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .choices = choices_of<ImageLayout>,
     .help = "image layout; auto is the one in which convolutions run fastest, or the framework's "
             "own, blocked has blocks of channels, chwn has the batch innermost (only on a CPU); "
             "several are measured and compared",
     .text = LayoutChoice::text,
     .set = LayoutChoice::set,
     .requirement = Requirement{Capability::layouts, "", "chooses layouts itself: omit --layout"}},
    {.name = "bias",
     .flag = "--bias",
     .group = OptionGroup::execution,
     .value = OptionValue::several,
     .choices = choices_of<BiasAddition>,
     .help = "whether a convolution adds its bias itself or a separate loop does; several are "
             "measured and compared",
     .text = BiasChoice::text,
     .set = BiasChoice::set,
     .requirement =
         Requirement{Capability::separate_bias, "", "adds biases in its own way: omit --bias"}},
    {.name = "caches",
     .flag = "--cache",
     .group = OptionGroup::execution,
     .choices = choices_of<CacheState>,
     .help = "state of the caches before each timed step; as-left keeps what the previous step "
             "left",
     .text = [](const Settings& s) { return std::string(name_of(s.policy.caches)); },
     .set =
         [](Settings& s, std::string_view text) {
             const auto value = value_named<CacheState>(text);
             s.policy.caches = value.value_or(s.policy.caches);
             return value.has_value();
         },
     .requirement =
         Requirement{Capability::cache_states, "", "does not prepare caches: omit --cache"}},
    {.name = "optimizer",
     .flag = "--optimizer",
     .group = OptionGroup::execution,
     .choices = optimizer_names,
     .help = "optimizer of the update; sgd has no momentum",
     .text = optimizer_text,
     .set = set_optimizer},
    {.name = "mode",
     .flag = "--inference",
     .group = OptionGroup::execution,
     .value = OptionValue::none,
     .kept = Kept::in_column,
     .choices = choices_of<Mode>,
     .help = "forward only, without the loss",
     .text = ModeChoice::text,
     .set = ModeChoice::set},
    {.name = "first_layer_gradient",
     .flag = "--first-layer-gradient",
     .group = OptionGroup::execution,
     .value = OptionValue::none,
     .choices = choices_of<FirstLayerGradient>,
     .help = "also compute the gradient of the network's input; =omitted,computed measures and "
             "compares both",
     .text = GradientChoice::text,
     .set = GradientChoice::set},
    {.name = "seed",
     .flag = "--seed",
     .group = OptionGroup::execution,
     .placeholder = "N",
     .expected = "a whole number of at least 0",
     .help = "seed of the random inputs and parameters",
     .text = [](const Settings& s) { return std::to_string(s.execution.numerics.seed); },
     .set = [](Settings& s,
               std::string_view text) { return set_whole(s.execution.numerics.seed, text, 0); }},
    {.name = "single_precision",
     .flag = "--tf32",
     .group = OptionGroup::gpu,
     .value = OptionValue::none,
     .choices = choices_of<SinglePrecision>,
     .help = "multiply f32 on tensor cores, with 11 bits of precision instead of 24",
     .text = PrecisionChoice::text,
     .set = PrecisionChoice::set,
     .requirement = Requirement{Capability::tf32, "", "does not support TF32: omit --tf32"}},
    {.name = "fuse",
     .flag = "--fuse",
     .group = OptionGroup::gpu,
     .value = OptionValue::several,
     .choices = choices_of<Fusion>,
     .help = "fuse each convolution with the layers that follow it, or let the framework fuse; "
             "off,on measures and compares both",
     .text = FusionChoice::text,
     .set = FusionChoice::set,
     .requirement = Requirement{Capability::fusion, "", "does not fuse layers: omit --fuse"}},
    {.name = "l1",
     .flag = "--l1",
     .group = OptionGroup::gpu,
     .value = OptionValue::several,
     .choices = choices_of<L1Caching>,
     .help = "whether strata's own kernels read through the L1 cache",
     .text = L1Choice::text,
     .set = L1Choice::set,
     .requirement = Requirement{Capability::l1_bypass, "", "has no L1 cache to bypass: omit --l1"}},
    {.name = "peer_option",
     .flag = "--peer-option",
     .group = OptionGroup::gpu,
     .value = OptionValue::several,
     .placeholder = "NAME=VALUE",
     .expected = "none, or NAME=VALUE, several joined by +",
     .help = "an option of the framework itself, such as inter-op=2 or onednn=off+inter-op=2; "
             "several are measured and compared, none is the framework's defaults",
     .text = peer_options_text,
     .set = set_peer_options,
     .requirement = Requirement{Capability::peer_options, "",
                                "is not a framework with options of its own: omit --peer-option"}},
    {.name = "device_timeout",
     .flag = "--device-timeout",
     .group = OptionGroup::gpu,
     .role = OptionRole::safeguard,
     .placeholder = "SECONDS",
     .expected = "a number of seconds of at least 0.001",
     .help = "how long the GPU or a framework's process may take for one iteration or one copy; "
             "beyond that it counts as hung: the results so far are stored and the command ends",
     .text =
         [](const Settings& s) {
             return fmt::format("{}", s.execution.scheduling.device_timeout.value);
         },
     .set =
         [](Settings& s, std::string_view text) {
             return set_seconds(s.execution.scheduling.device_timeout, text, min_time_limit);
         },
     .requirement = Requirement{Capability::device_timeout, "",
                                "computes on this machine's processors: omit --device-timeout"}},
    {.name = "warmup",
     .flag = "--warmup",
     .group = OptionGroup::measurement,
     .kept = Kept::in_policy,
     .placeholder = "N",
     .expected = "a whole number of at least 0",
     .help = "iterations before the first sample, for at most a quarter of --max-time",
     .text = [](const Settings& s) { return std::to_string(s.policy.warmup); },
     .set = [](Settings& s, std::string_view text) { return set_whole(s.policy.warmup, text, 0); }},
    {.name = "min_time",
     .flag = "--min-time",
     .group = OptionGroup::measurement,
     .kept = Kept::in_policy,
     .placeholder = "SECONDS",
     .expected = "a number of seconds of at least 0",
     .help = "minimum sampling time in seconds",
     .text = [](const Settings& s) { return fmt::format("{}", s.policy.min_time.value); },
     .set = [](Settings& s,
               std::string_view text) { return set_seconds(s.policy.min_time, text, 0); }},
    {.name = "max_time",
     .flag = "--max-time",
     .group = OptionGroup::measurement,
     .kept = Kept::in_policy,
     .placeholder = "SECONDS",
     .expected = "a number of seconds of at least 0.001",
     .help = "maximum seconds to warm up and sample each run; preparation, --verify, --trace and "
             "--counters take additional time",
     .text = [](const Settings& s) { return fmt::format("{}", s.policy.max_time.value); },
     .set =
         [](Settings& s, std::string_view text) {
             return set_seconds(s.policy.max_time, text, min_time_limit);
         }},
    {.name = "min_samples",
     .flag = "--min-samples",
     .group = OptionGroup::measurement,
     .kept = Kept::in_policy,
     .placeholder = "N",
     .expected = "a whole number of at least 1",
     .help = "minimum number of samples of each step",
     .text = [](const Settings& s) { return std::to_string(s.policy.min_samples); },
     .set = [](Settings& s,
               std::string_view text) { return set_whole(s.policy.min_samples, text, 1); }},
    {.name = "precision",
     .flag = "--precision",
     .group = OptionGroup::measurement,
     .kept = Kept::in_policy,
     .placeholder = "SHARE",
     .expected = "a fraction up to 1, such as 1% or 0.01",
     .help = "target half-width of the median's 95 % confidence interval",
     .text =
         [](const Settings& s) {
             const double share = s.policy.precision;
             return share == 1 ? std::string("100%") : fmt::format("{}", share);
         },
     .set = set_precision},
    {.name = "slice",
     .flag = "--slice",
     .group = OptionGroup::selection,
     .placeholder = "GLOB",
     .expected = "a glob that matches layers",
     .help = "run only the layers matching this glob, in isolation",
     .text = [](const Settings& s) { return s.slice; },
     .set =
         [](Settings& s, std::string_view text) {
             s.slice = text;
             return true;
         }},
});

// Adding a field to one of these fails to compile here: it needs an option above, or a reason why
// no command sets it.
[[maybe_unused]] void every_field_has_an_option(const Settings& settings) {
    const auto& [mode, dtype, single_precision, gradient, optimizer, seed] =
        settings.execution.numerics;
    const auto& [threads, pinned, memory_of_what_is_looked_at, omissions_after_a_lost_device,
                 device_timeout] = settings.execution.scheduling;
    const auto& [algorithm, choices, workspace_limit, layout, fusion, bias, l1, peer_options] =
        settings.execution.engine;
    const auto& [warmup, min_time, max_time, min_samples, precision, caches] = settings.policy;
    (void)mode, (void)threads, (void)algorithm, (void)warmup;
}

}  // namespace

std::span<const Option> all_options() {
    return options;
}

const Option* find_option(std::string_view name) {
    const auto found = std::ranges::find(options, name, &Option::name);
    return found == options.end() ? nullptr : &*found;
}

const Option& option_named(std::string_view name) {
    const Option* found = find_option(name);
    check(found != nullptr, "the option exists");
    return *found;
}

std::string values_of(const Option& option) {
    if (option.value == OptionValue::none || option.choices == nullptr) {
        return std::string(option.placeholder);
    }
    const Texts choices = option.choices();
    return fmt::format("{}", fmt::join(choices, "|"));
}

std::string text_of(const Settings& settings, const Option& option) {
    const auto unknown = settings.unknown.find(std::string(option.name));
    return unknown == settings.unknown.end() ? option.text(settings) : unknown->second;
}

std::string text_of(const Settings& settings, std::string_view option) {
    return text_of(settings, option_named(option));
}

bool is_default(const Settings& settings, const Option& option) {
    return text_of(settings, option) == option.text(Settings{});
}

void set_option(Settings& settings, const Option& option, std::string_view text) {
    if (option.set(settings, text)) {
        return;
    }
    throw Error(
        option.choices == nullptr
            ? fmt::format("{} needs {}, not '{}'", option.flag, option.expected, printable(text))
            : fmt::format("{} cannot be '{}': choose one of {}", option.flag, printable(text),
                          fmt::join(option.choices(), ", ")),
        ExitCode::usage);
}

std::vector<Settings> with_values(const std::vector<Settings>& all, const Option& option,
                                  const std::vector<std::string>& texts) {
    std::vector<Settings> changed;
    for (const Settings& settings : all) {
        for (const std::string& text : texts) {
            set_option(changed.emplace_back(settings), option, text);
        }
    }
    return changed;
}

std::string_view switched_value(const Option& option) {
    check(option.value == OptionValue::none && option.choices().size() == 2,
          "a switch has one value besides its default");
    const Texts choices = option.choices();
    return choices[0] == option.text(Settings{}) ? choices[1] : choices[0];
}

std::string_view refusal_of(const Settings& settings, Capabilities capabilities) {
    for (const Option& option : options) {
        const auto& needed = option.requirement;
        if (!needed || capabilities.has(needed->capability)) {
            continue;
        }
        const bool is_asked = needed->value.empty() ? !is_default(settings, option)
                                                    : option.text(settings) == needed->value;
        if (is_asked) {
            return needed->refusal;
        }
    }
    return {};
}

}  // namespace strata
