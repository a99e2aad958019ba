// SPDX-License-Identifier: MIT
#pragma once

#include "metric/plan.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// By category, the sum of the metrics that are a part of it. A part that the chip has nothing of
// adds nothing; a part that could not be counted leaves the category without a value, and so does
// having no part at all.
std::array<MetricValue, 10> stalls_by_category(std::span<const EvaluatedMetric> metrics);

// The name of a category among a step's metrics: "stalls: memory_dependency".
std::string metric_of_stalls(std::string_view category);

}  // namespace strata
