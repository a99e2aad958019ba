// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "report/document.h"
#include "view/analysis.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// Medians of a metric by two hyperparameters: a heat map for each backend, and the same as lines.
Document heat_map_document(ObservedMetric metric,
                           std::span<const std::pair<std::string, HeatMap>> maps,
                           const AnalysedRuns& of);

// Percentiles of a metric by group, with a chart of boxes (9 to 91 %) and whiskers (2 to 98 %).
Document boxes_document(ObservedMetric metric, const std::string& parameter,
                        std::span<const std::pair<std::string, std::vector<Box>>> boxes,
                        const AnalysedRuns& of);

// Each network as a point under its device's roofs, by intensity of compulsory traffic.
Document sweep_roofline_document(const Observations& all, std::span<const BackendRuns> groups,
                                 const AnalysedRuns& of);

}  // namespace strata
