// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"
#include "predict/folds.h"
#include "predict/residuals.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The times between which eight of ten measured ones would lie, by the residuals of predictions
// that resemble this one. Both can be on one side of the prediction if such predictions were.
struct TimeInterval {
    Seconds low;
    Seconds high;
};

// What decides which residuals a prediction resembles.
struct Resembled {
    std::string problem_class = {};  // as in tables of problems
    RateOrigin origin = RateOrigin::prior;
    std::string device = {};  // that the rates are of
    KernelKnown kernel = KernelKnown::no;
    bool is_changed = false;  // the device differs from what was measured
};

// THE rule by which a prediction takes an interval. Of these, the first that were measured:
//
//   rates of this device      its class; for predicted times longer than all of the class: the
//                             largest ones, by rates fitted to smaller ones
//   rates fitted here         the class on all devices, cross-validated
//   rates of a similar device, or of this one with changed numbers
//                             the class on several devices, each left out
//   priors                    the class on several devices, by priors
//
// What few devices or sizes measured, borrows: a row says what to expect of one more device or size
// by those that were measured and, as one more, by a wider circle (predictive.h): a device's class
// by the class on all others, a class by its family ("any product"), a family by everything. A
// class that is not in the table takes its family's row. Where nothing was measured, times of a
// fourth to four times the prediction count as possible.
class IntervalRule {
public:
    explicit IntervalRule(const Resembled& asked);

    // Of a problem with this predicted time.
    const Residuals& residuals(Seconds predicted) const { return row(predicted).residuals; }
    TimeInterval interval(Seconds predicted) const;
    // "cross-validated on h100", "left out, on 5 devices".
    std::string basis(Seconds predicted) const;
    bool is_measured() const { return !sizes_.empty(); }

private:
    const ResidualRow& row(Seconds predicted) const;

    std::vector<const ResidualRow*> sizes_;  // smallest first
    const ResidualRow* beyond_ = nullptr;
};

// What the rates of a row's problem resemble. `calibrated` are the device's own rates, `related`
// those that predictions use.
Resembled resembled_by(const ProblemRow& row, const DeviceDescription& device,
                       const DeviceRates& calibrated, const DeviceRates& related, bool is_changed);

}  // namespace strata
