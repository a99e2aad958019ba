// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/varied.h"
#include "cli/options.h"
#include "op/convention.h"
#include "record/run.h"
#include "view/rollup.h"
#include "view/step_filter.h"
#include "view/sweep.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// Which results of `run` are shown, and how.
struct ResultForm {
    OutputOptions output;
    const Convention& convention = conventions().front();
    std::vector<Grouping> by = {};  // how a run's steps are grouped; empty: single steps
    std::size_t executions = 1;     // that each network and batch is measured with
};

// Prints what `run` measures. A terminal gets each group as soon as it is done; JSON, CSV, a page
// or a file gets one document at the end. Where single runs differ in their execution, each after
// the first is also compared with the first.
class ResultPrinter {
public:
    explicit ResultPrinter(ResultForm form);
    ResultPrinter(const ResultPrinter&) = delete;
    ResultPrinter& operator=(const ResultPrinter&) = delete;
    ~ResultPrinter();

    // The runs of one group, in plan order: a sweep, or separate runs. The filter selects the steps
    // to show.
    void add(const std::vector<Run>& runs, const std::optional<Capacity>& capacity,
             const StepFilter& filter);

    // Prints what was held back until the end.
    void finish();

    // Whether any run was added.
    bool has_results() const { return groups_ > 0; }

private:
    void add_run(const Run& run, const StepFilter& filter);
    void add_sweep(const Sweep& sweep, const std::optional<Capacity>& capacity);
    void add_grid(const std::vector<Run>& runs, const VariedGrid& grid);
    void add_pairs(const std::vector<Run>& runs);
    void show(const Document& document, const Selection& selection);

    ResultForm form_;
    OutputOptions plain_;  // the output options without the selection, which was already applied
    std::vector<Document> documents_;
    std::unique_ptr<nlohmann::ordered_json> json_;  // "runs", "sweeps", "pairs"
    std::size_t groups_ = 0;
    std::vector<Run> first_runs_;
};

}  // namespace strata
