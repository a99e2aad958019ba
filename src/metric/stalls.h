// SPDX-License-Identifier: MIT
#pragma once

#include "metric/plan.h"

#include <array>
#include <span>

namespace strata {

// By category, the sum of the metrics that are a part of it. A part that the chip has nothing of
// adds nothing; a part that could not be counted leaves the category without a value, and so does
// having no part at all.
std::array<MetricValue, 10> stalls_by_category(std::span<const EvaluatedMetric> metrics);

}  // namespace strata
