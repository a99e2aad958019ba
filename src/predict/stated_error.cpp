// SPDX-License-Identifier: MIT
#include "predict/stated_error.h"

#include "base/text.h"
#include "base/toml_section.h"
#include "predict/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace strata {

namespace {

StatedAccuracy read_accuracy() {
    const EmbeddedFile& file = accuracy_files().front();
    const std::string origin = fmt::format("{}.toml", file.name);
    const toml::table table = parse_toml(file.text, origin);
    const TomlSection whole(table, origin);
    StatedAccuracy stated{.source = whole.required_text("source"), .rows = {}};
    for (const toml::table* const row : whole.tables("error")) {
        const TomlSection section(*row, origin);
        stated.rows.push_back(
            {.device = section.required_text("device"),
             .problem_class = section.required_text("class"),
             .split = section.required_text("split"),
             .errors = {.n = static_cast<std::size_t>(section.required_number("n")),
                        .mape = section.required_number("mape"),
                        .median = section.required_number("median"),
                        .p90 = section.required_number("p90"),
                        .signed_sum = section.required_number("signed")}});
    }
    return stated;
}

bool is_of_products(RateClass rates) {
    return rates == RateClass::linear || rates == RateClass::batched;
}

// Without the device's own times, the class's name does not occur in the data; all kinds of
// products are alike.
bool is_of_class(const AccuracyRow& row, RateClass rates) {
    if (rates == RateClass::fused_attention) {
        return row.problem_class == attention_class(AttentionPhase::prefill, {});
    }
    return row.problem_class == name_of(rates) ||
           (is_of_products(rates) && row.problem_class == "gemm fp32");
}

std::string origin_text(const RateShare& share) {
    switch (share.source.origin) {
        case RateOrigin::fitted:
            return "fitted here";
        case RateOrigin::shipped:
            return "fitted to published times of this device";
        case RateOrigin::related:
            return fmt::format("fitted to published times of {}", share.source.device);
        case RateOrigin::prior:
            return "that hold for any device";
    }
    return "";
}

// Shares whose rates have the same origin: "linear, bmm".
struct RateGroup {
    std::string classes;
    std::string origin;
    double share = 0;
    double least_error = std::numeric_limits<double>::infinity();
    double largest_error = 0;
    bool is_own = false;
    bool is_unknown = false;  // the error of some of them is unknown

    void add(const RateShare& one) {
        classes += (classes.empty() ? "" : ", ") + std::string(name_of(one.rates));
        share += one.share;
        is_unknown = is_unknown || !one.error;
        if (one.error) {
            least_error = std::min(least_error, *one.error);
            largest_error = std::max(largest_error, *one.error);
        }
    }

    std::string error_text() const {
        if (!(largest_error > 0)) {
            return "of unknown error";
        }
        const auto percent = [](double error) {
            return fmt::format("{:.{}f}", 100 * error, error < 0.1 ? 1 : 0);
        };
        const std::string least = percent(least_error);
        const std::string largest = percent(largest_error);
        return fmt::format("{} % off {}{}",
                           least == largest ? least : fmt::format("{} to {}", least, largest),
                           is_own ? "in cross-validation" : "on devices without rates of their own",
                           is_unknown ? ", of some unknown" : "");
    }
};

}  // namespace

const StatedAccuracy& stated_accuracy() {
    static const StatedAccuracy stated = read_accuracy();
    return stated;
}

std::optional<double> stated_error(const RateSource& source, RateClass rates) {
    // `strata accuracy` states it for the table that rates were fitted to here. The errors of
    // products say nothing about convolutions.
    if (source.origin == RateOrigin::fitted || rates == RateClass::convolution) {
        return {};
    }
    double sum = 0;
    double count = 0;
    for (const AccuracyRow& row : stated_accuracy().rows) {
        const bool is_own = source.origin == RateOrigin::shipped;
        const char* const split =
            source.origin == RateOrigin::related ? "left-out" : "uncalibrated";
        const bool counts = is_own
                                ? row.split == "cross-validated" && row.device == source.device &&
                                      row.problem_class == source.name
                                : row.split == split && is_of_class(row, rates);
        sum += counts ? row.errors.mape : 0;
        count += counts ? 1 : 0;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

double mean_stated_error(std::string_view device) {
    double sum = 0;
    double count = 0;
    for (const AccuracyRow& row : stated_accuracy().rows) {
        const bool is_own = row.device == device && row.split == "cross-validated";
        sum += is_own ? row.errors.mape : 0;
        count += is_own ? 1 : 0;
    }
    return count > 0 ? sum / count : 1;
}

std::vector<RateShare> shares_by_rates(const NetworkPrediction& prediction,
                                       const DeviceModel& device) {
    const auto times = time_by_rates(prediction);
    const Seconds whole = prediction.time();
    std::vector<RateShare> shares;
    for (std::size_t i = 0; i < rate_classes; ++i) {
        const auto rates = static_cast<RateClass>(i);
        if (times[i] > Seconds{}) {
            const RateSource source = device.source_of(rates);
            shares.push_back({rates, source, times[i] / whole, stated_error(source, rates)});
        }
    }
    std::ranges::stable_sort(shares, std::greater<>(), &RateShare::share);
    return shares;
}

std::string basis_sentence(std::span<const RateShare> shares) {
    constexpr double worth_naming = 0.01;
    std::vector<RateGroup> groups;
    for (const RateShare& one : shares) {
        if (one.share < worth_naming) {
            continue;
        }
        const std::string origin = origin_text(one);
        auto group = std::ranges::find(groups, origin, &RateGroup::origin);
        if (group == groups.end()) {
            groups.push_back({.classes = {},
                              .origin = origin,
                              .is_own = one.source.origin == RateOrigin::shipped});
            group = groups.end() - 1;
        }
        group->add(one);
    }
    std::ranges::stable_sort(groups, std::greater<>(), &RateGroup::share);
    std::string text;
    for (const RateGroup& group : groups) {
        text += fmt::format("{}{:.0f} % {}by rates {} ({}: {})", text.empty() ? "" : ", ",
                            100 * group.share, text.empty() ? "of the time is predicted " : "",
                            group.origin, group.classes, group.error_text());
    }
    return text.empty() ? ""
                        : text +
                              ". Errors are those of single forward passes; they partly cancel "
                              "in the whole.";
}

}  // namespace strata
