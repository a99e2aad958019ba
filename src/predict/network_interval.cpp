// SPDX-License-Identifier: MIT
#include "predict/network_interval.h"

#include "base/enumeration.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata {

namespace {

constexpr const char* whole_step = "fully connected training";  // what a TPU's rates are of

// What the kernels of a class of rates resemble on a device.
Resembled resembled_by(RateClass rates, const DeviceModel& device, bool is_changed) {
    const DeviceKind kind = device.device().kind;
    if (kind == DeviceKind::cpu) {
        return {.problem_class = std::string(cpu_layers), .origin = RateOrigin::related};
    }
    const RateSource source = device.source_of(rates);
    return {.problem_class = kind == DeviceKind::tpu ? whole_step
                             : source.name.empty()   ? std::string(name_of(rates))
                                                     : source.name,
            .origin = source.origin,
            .device = source.device,
            .is_changed = is_changed};
}

// The rules of a device's classes, each found once.
class DeviceIntervals {
public:
    DeviceIntervals(const DeviceModel& device, bool is_changed)
        : device_(device), is_changed_(is_changed) {}

    const IntervalRule& rule(RateClass rates) {
        auto& found = rules_[static_cast<std::size_t>(rates)];
        if (!found) {
            found.emplace(resembled_by(rates, device_, is_changed_));
        }
        return *found;
    }

private:
    const DeviceModel& device_;
    bool is_changed_;
    std::array<std::optional<IntervalRule>, rate_classes> rules_ = {};
};

IntervalRule rule_of_whole(const DeviceModel& device, bool is_changed) {
    if (device.device().kind == DeviceKind::tpu) {
        return IntervalRule(resembled_by(RateClass::linear, device, is_changed));
    }
    return IntervalRule(
        {.problem_class = network_class(device.device().kind), .origin = RateOrigin::related});
}

FoundInterval interval_of(const PredictedStep& step, DeviceIntervals& rules) {
    FoundInterval found;
    Seconds longest;
    for (const KernelPrediction& kernel : step.kernels) {
        const IntervalRule& rule = rules.rule(kernel.rates);
        const TimeInterval interval = rule.interval(kernel.time);
        found.time.low += interval.low;
        found.time.high += interval.high;
        if (kernel.time > longest) {
            longest = kernel.time;
            found.basis = rule.basis(kernel.time);
        }
    }
    return found;
}

// That no network in this framework is among those that the interval comes from.
std::string other_framework(const DeviceModel& device) {
    const Framework* const asked = device.framework();
    return asked == nullptr || asked == &frameworks().front()
               ? ""
               : fmt::format("; these ran in eager PyTorch, none in {}", asked->name);
}

// How far an end of the whole is away from its middle, in logarithms.
class Spread {
public:
    explicit Spread(double common) : common_(common) {}

    void add(double share, double step, bool is_measured) {
        const double part = share * step;
        independent_ += is_measured ? part * part : 0;
        unmeasured_ += is_measured ? 0 : part;
    }
    double value() const {
        return std::sqrt(common_ * common_ + independent_ + unmeasured_ * unmeasured_);
    }

private:
    double common_ = 0, independent_ = 0, unmeasured_ = 0;
};

}  // namespace

NetworkIntervals intervals_of(const NetworkPrediction& prediction, const DeviceModel& device,
                              bool is_changed) {
    DeviceIntervals rules(device, is_changed);
    const IntervalRule whole_rule = rule_of_whole(device, is_changed);
    const Seconds time = prediction.time();
    const Residuals& common = whole_rule.residuals(time);
    Spread below(common.middle - common.low), above(common.high - common.middle);
    NetworkIntervals found;
    for (const PredictedStep& step : prediction.steps) {
        if (!step.has_time() || step.kernels.empty()) {
            found.steps.emplace_back();
            continue;
        }
        for (const KernelPrediction& kernel : step.kernels) {
            const IntervalRule& rule = rules.rule(kernel.rates);
            const Residuals& residuals = rule.residuals(kernel.time);
            const double share = kernel.time / time;
            below.add(share, residuals.middle - residuals.low, rule.is_measured());
            above.add(share, residuals.high - residuals.middle, rule.is_measured());
        }
        found.steps.emplace_back(interval_of(step, rules));
    }
    found.whole = {.time = {.low = time * std::exp(common.middle - below.value()),
                            .high = time * std::exp(common.middle + above.value())},
                   .basis = whole_rule.basis(time) + other_framework(device)};
    return found;
}

std::string interval_sentence(const FoundInterval& whole) {
    return fmt::format("Eight of ten measured times would be {} to {} ({}).",
                       text_with_unit(whole.time.low.value, "s"),
                       text_with_unit(whole.time.high.value, "s"), whole.basis);
}

}  // namespace strata
