// SPDX-License-Identifier: MIT
#include "predict/stated_error.h"

#include "base/text.h"
#include "base/toml_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// A row of the file.
struct StatedError {
    std::string device;
    std::string problem_class;
    std::string split;
    double mape = 0;
};

std::vector<StatedError> read_errors() {
    std::vector<StatedError> found;
    for (const EmbeddedFile& file : accuracy_files()) {
        const std::string origin = fmt::format("{}.toml", file.name);
        const toml::table table = parse_toml(file.text, origin);
        const TomlSection whole(table, origin);
        for (const toml::table* const row : whole.tables_if_any("error")) {
            const TomlSection section(*row, origin);
            found.push_back({section.required_text("device"), section.required_text("class"),
                             section.required_text("split"), section.required_number("mape")});
        }
    }
    return found;
}

const std::vector<StatedError>& stated_errors() {
    static const std::vector<StatedError> errors = read_errors();
    return errors;
}

bool is_of_products(RateClass rates) {
    return rates == RateClass::linear || rates == RateClass::batched;
}

// Without the device's own times the class's name is not one of data; products of all kinds are
// alike.
bool is_of_class(const StatedError& error, RateClass rates) {
    return error.problem_class == name_of(rates) ||
           (is_of_products(rates) && error.problem_class == "gemm fp32");
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

std::string error_text(const RateShare& share) {
    if (!share.error) {
        return "of unknown error";
    }
    const bool is_own = share.source.origin == RateOrigin::shipped;
    return fmt::format("{:.{}f} % off {}", 100 * *share.error, *share.error < 0.1 ? 1 : 0,
                       is_own ? "in cross-validation" : "on devices that no rate was fitted to");
}

}  // namespace

std::optional<double> stated_error(const RateSource& source, RateClass rates) {
    // `strata accuracy` states it for the table that rates were fitted to here; rates of products
    // say nothing of how far convolutions are off.
    if (source.origin == RateOrigin::fitted || rates == RateClass::convolution) {
        return {};
    }
    double sum = 0;
    double count = 0;
    for (const StatedError& error : stated_errors()) {
        const bool is_own = source.origin == RateOrigin::shipped;
        const char* const split =
            source.origin == RateOrigin::related ? "left-out" : "uncalibrated";
        const bool counts = is_own ? error.split == "cross-validated" &&
                                         error.device == source.device &&
                                         error.problem_class == source.name
                                   : error.split == split && is_of_class(error, rates);
        sum += counts ? error.mape : 0;
        count += counts ? 1 : 0;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

double mean_stated_error(std::string_view device) {
    double sum = 0;
    double count = 0;
    for (const StatedError& error : stated_errors()) {
        const bool is_own = error.device == device && error.split == "cross-validated";
        sum += is_own ? error.mape : 0;
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
    constexpr double worth_telling = 0.01;
    std::vector<std::string> parts;
    for (const RateShare& share : shares) {
        if (share.share >= worth_telling) {
            parts.push_back(fmt::format("{:.0f} % {}by rates of '{}' {} ({})", 100 * share.share,
                                        parts.empty() ? "of the time is predicted " : "",
                                        name_of(share.rates), origin_text(share),
                                        error_text(share)));
        }
    }
    return parts.empty() ? ""
                         : join(parts, ", ") +
                               ". Errors are of single forward passes, and partly cancel in the "
                               "whole.";
}

}  // namespace strata
