// SPDX-License-Identifier: MIT
#include "analyze/comparison_rates.h"

#include "base/error.h"
#include "base/file.h"
#include "base/toml_section.h"
#include "device/device.h"
#include "measure/statistics.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <sstream>

namespace strata {

namespace {

using Runs = std::span<const Run>;

void slow_down(Samples& samples, double factor) {
    for (Seconds& time : samples.values) {
        time *= factor;
    }
}

std::vector<Run> slowed(Runs runs, double share) {
    std::vector<Run> slower(runs.begin(), runs.end());
    for (Run& run : slower) {
        slow_down(run.whole.end_to_end, 1 + share);
        for (StepResult& step : run.steps) {
            if (auto* samples = std::get_if<Samples>(&step.time)) {
                slow_down(*samples, 1 + share);
            }
        }
    }
    return slower;
}

void count(const Comparison& comparison, PlantedRate& rate) {
    const Verdict whole = comparison.whole.verdict.value_or(Verdict::unclear);
    rate.faster += whole == Verdict::faster ? 1 : 0;
    rate.slower += whole == Verdict::slower ? 1 : 0;
    rate.same += whole == Verdict::same ? 1 : 0;
    rate.unclear += whole == Verdict::unclear ? 1 : 0;
    for (const ComparedTime& row : comparison.rows) {
        ++rate.layers;
        rate.layers_faster += row.verdict == Verdict::faster ? 1 : 0;
        rate.layers_slower += row.verdict == Verdict::slower ? 1 : 0;
    }
}

// The processor, and the GPU if one ran it.
std::string machine_of(const Run& run) {
    std::string text;
    for (const char* key : {"cpu.model", "gpu.name"}) {
        const auto found = run.provenance.find(key);
        text += found == run.provenance.end() ? "" : (text.empty() ? "" : ", ") + found->second;
    }
    return text;
}

// A number of verdicts by its name in the file.
struct NamedCount {
    std::string_view name;
    std::int64_t PlantedRate::*count;
};
constexpr std::array counts = {NamedCount{"faster", &PlantedRate::faster},
                               NamedCount{"slower", &PlantedRate::slower},
                               NamedCount{"same", &PlantedRate::same},
                               NamedCount{"unclear", &PlantedRate::unclear},
                               NamedCount{"layers", &PlantedRate::layers},
                               NamedCount{"layers_faster", &PlantedRate::layers_faster},
                               NamedCount{"layers_slower", &PlantedRate::layers_slower}};

double required(const TomlSection& section, std::string_view key) {
    const auto value = section.number(key);
    if (!value || !std::isfinite(*value) || *value < 0 || *value > 1e15) {
        section.refuse(key,
                       "missing or not a number of at least 0; run strata calibrate --comparison");
    }
    return *value;
}

std::int64_t required_count(const TomlSection& section, std::string_view key) {
    return std::llround(required(section, key));
}

PlantedRate planted_rate(const TomlSection& section) {
    PlantedRate rate;
    rate.planted = required(section, "share");
    for (const NamedCount& one : counts) {
        rate.*one.count = required_count(section, one.name);
    }
    return rate;
}

std::string toml_text_of(const std::string& text) {
    std::ostringstream out;
    out << toml::value<std::string>(text);
    return out.str();
}

// The pairs of processes of both sides, which are equal.
std::optional<double> spread_of_both(Runs before, Runs after) {
    std::vector<Run> timed;
    for (const Runs runs : {before, after}) {
        std::ranges::copy_if(runs, std::back_inserter(timed),
                             [](const Run& run) { return !run.whole.end_to_end.values.empty(); });
    }
    return timed.size() < 2 ? std::nullopt : std::optional(process_spread(timed));
}

}  // namespace

double process_spread(Runs runs) {
    constexpr double widest_hundredth =
        2.575829303548901;  // 99 % of a normal distribution are within
    std::vector<double> levels;
    for (const Run& run : runs) {
        levels.push_back(std::log(median_of(run.whole.end_to_end.values).value));
    }
    std::vector<Seconds> distances;  // (logarithms, although the statistics take seconds)
    double squares = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            distances.push_back(Seconds{std::abs(levels[i] - levels[k])});
            squares += std::pow(levels[i] - levels[k], 2);
        }
    }
    check(!distances.empty(), "a spread needs at least two processes");
    const double own = std::sqrt(squares / static_cast<double>(distances.size()) / 2);
    return std::max(own, quantile(distances, 0.99).value / widest_hundredth / std::sqrt(2.0));
}

bool holds_for(const ComparisonRates& rates, const Run& run) {
    return run.origin == Origin::measured && !rates.machine.empty() &&
           machine_of(run) == rates.machine;
}

AssumedSpread spread_of(const ComparisonRates& rates) {
    return rates.process_spread
               ? AssumedSpread{.processes = *rates.process_spread, .created = rates.created}
               : AssumedSpread{};
}

ComparisonRates comparison_rates(Runs before, Runs after, std::span<const std::size_t> rounds,
                                 std::span<const double> planted, const ComparisonRules& rules) {
    const auto all = std::accumulate(rounds.begin(), rounds.end(), std::size_t{0});
    check(all > 0 && before.size() == all && after.size() == all,
          "every comparison has processes of both sides");
    const Settings& settings = before.front().settings;
    ComparisonRates rates{
        .created = before.front().created,
        .network = settings.network,
        .backend = settings.backend,
        .batch = settings.batch,
        .threads = settings.threads(),
        .fewest_rounds = static_cast<std::int64_t>(*std::ranges::min_element(rounds)),
        .most_rounds = static_cast<std::int64_t>(*std::ranges::max_element(rounds)),
        .comparisons = static_cast<std::int64_t>(rounds.size()),
        .margin = rules.margin,
        .process_spread = spread_of_both(before, after),
        .machine = machine_of(before.front())};
    std::vector<Seconds> visible;  // (a share, although the statistics take seconds)
    for (const double share : planted) {
        PlantedRate& rate = rates.planted.emplace_back();
        rate.planted = share;
        std::size_t first = 0;
        for (const std::size_t count_of_runs : rounds) {
            const Comparison comparison =
                compare(before.subspan(first, count_of_runs),
                        slowed(after.subspan(first, count_of_runs), share), rules);
            count(comparison, rate);
            if (const auto smallest = smallest_visible(comparison.whole)) {
                visible.push_back(Seconds{*smallest});
            }
            first += count_of_runs;
        }
    }
    rates.smallest_visible = visible.empty() ? 0 : median_of(visible).value;
    return rates;
}

Share share_of(std::int64_t count, std::int64_t all) {
    check(count >= 0 && count <= all && all > 0, "a share needs cases");
    constexpr double z = 1.959964;
    const auto n = static_cast<double>(all);
    const double share = static_cast<double>(count) / n;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half =
        z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return {share, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::string sentence_on(const ComparisonRates& rates) {
    std::string text =
        fmt::format("On this machine, of {} comparisons of equal sides", rates.comparisons);
    for (const PlantedRate& rate : rates.planted) {
        text += rate.planted == 0
                    ? fmt::format(" {} were called different", rate.faster + rate.slower)
                    : fmt::format("; a slow-down of {:.3g} % was found in {}", 100 * rate.planted,
                                  rate.slower);
    }
    return text + fmt::format(" ({} on {}, {}, {}).", rates.network, rates.backend,
                              processes_text(rates), rates.created.substr(0, 10));
}

std::string processes_text(const ComparisonRates& rates) {
    const RoundLimits taken{static_cast<int>(rates.fewest_rounds),
                            static_cast<int>(rates.most_rounds)};
    return rounds_text(taken) + " processes a side";
}

ComparisonRates parse_comparison_rates(std::string_view text, std::string_view origin) {
    constexpr std::array<std::string_view, 13> keys = {
        "created",        "network",     "backend",     "batch",  "threads",
        "fewest_rounds",  "most_rounds", "comparisons", "margin", "smallest_visible",
        "process_spread", "machine",     "planted"};
    constexpr std::array<std::string_view, 8> planted_keys = {
        "share", "faster", "slower", "same", "unclear", "layers", "layers_faster", "layers_slower"};
    const toml::table table = parse_toml(text, origin);
    const TomlSection whole(table, std::string(origin));
    whole.expect_only(keys);
    ComparisonRates rates{.created = whole.required_text("created"),
                          .network = whole.required_text("network"),
                          .backend = whole.required_text("backend"),
                          .batch = required_count(whole, "batch"),
                          .threads = required_count(whole, "threads"),
                          .fewest_rounds = required_count(whole, "fewest_rounds"),
                          .most_rounds = required_count(whole, "most_rounds"),
                          .comparisons = required_count(whole, "comparisons"),
                          .margin = required(whole, "margin"),
                          .smallest_visible = required(whole, "smallest_visible"),
                          .machine = whole.text("machine").value_or("")};
    if (whole.number("process_spread")) {
        rates.process_spread = required(whole, "process_spread");
    }
    for (const toml::table* one : whole.tables("planted")) {
        const TomlSection section(*one, whole.place("planted"));
        section.expect_only(planted_keys);
        rates.planted.push_back(planted_rate(section));
    }
    return rates;
}

std::string to_toml(const ComparisonRates& rates) {
    std::string text = fmt::format(
        "created = {}\nnetwork = {}\nbackend = {}\nbatch = {}\nthreads = {}\nfewest_rounds = "
        "{}\nmost_rounds = {}\n"
        "comparisons = {}\nmargin = {}\nsmallest_visible = {}\n",
        toml_text_of(rates.created), toml_text_of(rates.network), toml_text_of(rates.backend),
        rates.batch, rates.threads, rates.fewest_rounds, rates.most_rounds, rates.comparisons,
        rates.margin, rates.smallest_visible);
    if (rates.process_spread) {
        text += fmt::format("process_spread = {}\nmachine = {}\n", *rates.process_spread,
                            toml_text_of(rates.machine));
    }
    for (const PlantedRate& rate : rates.planted) {
        text += fmt::format("\n[[planted]]\nshare = {}\n", rate.planted);
        for (const NamedCount& one : counts) {
            text += fmt::format("{} = {}\n", one.name, rate.*one.count);
        }
    }
    return text;
}

std::filesystem::path comparison_rates_file() {
    auto file = own_device_file(1);
    std::string stem = file.stem().string();
    if (stem.ends_with("-1t")) {
        stem.resize(stem.size() - 3);
    }
    return file.replace_filename(stem + "-comparison.toml");
}

std::optional<ComparisonRates> own_comparison_rates() {
    try {
        const auto file = comparison_rates_file();
        const auto text = read_small_file(file);
        return text ? std::optional(parse_comparison_rates(*text, file.string())) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;  // only a sentence depends on it
    }
}

}  // namespace strata
