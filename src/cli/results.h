// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/varied.h"
#include "cli/options.h"
#include "op/convention.h"
#include "record/run.h"
#include "view/rollup.h"
#include "view/run.h"
#include "view/step_filter.h"
#include "view/sweep.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// Which results of `run` to show, and how.
struct ResultForm {
    OutputOptions output;
    const Convention& convention = conventions().front();
    std::vector<Grouping> by = {};  // how a run's steps are grouped; empty: single steps
    StepFilter filter = {};         // the steps of a run to show
    bool shows_all = false;         // also on a terminal, which otherwise gets a run's first page
};

// Prints what `run` measures. A terminal gets each group as soon as it is done; JSON, CSV, a page
// or a file gets one document at the end.
class ResultPrinter {
public:
    explicit ResultPrinter(ResultForm form);
    ResultPrinter(const ResultPrinter&) = delete;
    ResultPrinter& operator=(const ResultPrinter&) = delete;
    ~ResultPrinter();

    // The runs of one group, in plan order: a sweep, or separate runs.
    void add(const std::vector<Run>& runs, const std::optional<Capacity>& capacity);

    // Adds each later run beside the first, from which it differs in its execution.
    void add_pairs(const std::vector<Run>& runs);

    // Prints what was held back until the end.
    void finish();

    // Whether any run was added.
    bool has_results() const { return has_results_; }

private:
    void add_run(const Run& run);
    void add_sweep(const Sweep& sweep, const std::optional<Capacity>& capacity);
    void add_grid(const std::vector<Run>& runs, const VariedGrid& grid);
    void show(const Document& document, const Selection& selection);
    Extent extent() const;

    ResultForm form_;
    OutputOptions plain_;  // the output options without the selection, which was already applied
    std::vector<Document> documents_;
    std::unique_ptr<nlohmann::ordered_json> json_;  // "runs", "sweeps", "pairs"
    bool has_results_ = false;
};

}  // namespace strata
