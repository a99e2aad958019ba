// SPDX-License-Identifier: MIT
#include "predict/interval.h"

#include "base/enumeration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Of a prediction that no measured times resemble.
const ResidualRow& unmeasured() {
    static const ResidualRow row{
        .device = {},
        .problem_class = {},
        .n = 0,
        .devices = 0,
        .until = {},
        .residuals = {.low = -std::log(4.0), .middle = 0, .high = std::log(4.0)}};
    return row;
}

using SizeRows = std::vector<const ResidualRow*>;

SizeRows rows_of(std::string_view device, std::string_view problem_class, ResidualSplit split) {
    SizeRows found;
    for (const ResidualRow& row : stated_residuals().rows) {
        if (row.split == split && row.device == device && row.problem_class == problem_class) {
            found.push_back(&row);
        }
    }
    return found;
}

// The class on several devices, or else its family.
SizeRows rows_of_devices(std::string_view problem_class, ResidualSplit split) {
    SizeRows found = rows_of("", problem_class, split);
    return found.empty() ? rows_of("", family_of_class(problem_class), split) : found;
}

SizeRows own_rows(const Resembled& asked, ResidualSplit split) {
    SizeRows found = rows_of(asked.device, asked.problem_class, split);
    return found.empty() ? rows_of_devices(asked.problem_class, split) : found;
}

ResidualSplit split_of(const Resembled& asked) {
    if (asked.origin == RateOrigin::prior) {
        return ResidualSplit::uncalibrated;
    }
    if (asked.origin == RateOrigin::related || asked.is_changed) {
        return ResidualSplit::left_out;
    }
    return ResidualSplit::cross_validated;
}

}  // namespace

IntervalRule::IntervalRule(const Resembled& asked) {
    const ResidualSplit split = split_of(asked);
    if (split != ResidualSplit::cross_validated) {
        sizes_ = rows_of_devices(asked.problem_class, split);
        return;
    }
    if (asked.origin == RateOrigin::fitted) {
        sizes_ = rows_of_devices(asked.problem_class, split);
        return;
    }
    if (asked.kernel == KernelKnown::no) {
        sizes_ = rows_of(asked.device, asked.problem_class, ResidualSplit::kernel_unknown);
    }
    if (sizes_.empty()) {
        sizes_ = own_rows(asked, split);
    }
    const SizeRows beyond = own_rows(asked, ResidualSplit::beyond);
    beyond_ = beyond.empty() ? nullptr : beyond.front();
}

const ResidualRow& IntervalRule::row(Seconds predicted) const {
    if (sizes_.empty()) {
        return unmeasured();
    }
    const auto at = std::ranges::find_if(
        sizes_, [&](const ResidualRow* one) { return predicted <= one->until; });
    if (at != sizes_.end()) {
        return **at;
    }
    return beyond_ == nullptr ? *sizes_.back() : *beyond_;
}

TimeInterval IntervalRule::interval(Seconds predicted) const {
    const Residuals& found = residuals(predicted);
    return {predicted * std::exp(found.low), predicted * std::exp(found.high)};
}

std::string IntervalRule::basis(Seconds predicted) const {
    const ResidualRow& found = row(predicted);
    if (found.n == 0) {
        return "no measured times of this kind";
    }
    const std::string where = found.device.empty() ? fmt::format("{} device{}", found.devices,
                                                                 found.devices == 1 ? "" : "s")
                                                   : found.device;
    return fmt::format("{}, {} on {}", name_of(found.split), found.problem_class, where);
}

Resembled resembled_by(const ProblemRow& row, const DeviceDescription& device,
                       const DeviceRates& calibrated, const DeviceRates& related, bool is_changed) {
    Resembled found{.problem_class = row.problem_class,
                    .kernel = names_kernel(row) ? KernelKnown::as_named : KernelKnown::no,
                    .is_changed = is_changed};
    const auto* const attention = std::get_if<AttentionRow>(&row.problem);
    if (attention != nullptr && !has_class(calibrated, found.problem_class)) {
        found.problem_class = attention_class(attention->problem.phase(), {});
    }
    if (has_class(calibrated, found.problem_class)) {
        const bool is_fitted_here = has_class(own_rates_of(device.name), found.problem_class);
        found.origin = is_fitted_here ? RateOrigin::fitted : RateOrigin::shipped;
        found.device = device.name;
    } else if (has_class(related, found.problem_class) ||
               find_products(related, found.problem_class) != nullptr) {
        found.origin = RateOrigin::related;
    }
    return found;
}

}  // namespace strata
