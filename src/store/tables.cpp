// SPDX-License-Identifier: MIT
#include "store/tables.h"

namespace strata {

std::vector<TableLayout> stored_tables() {
    return {layout_of(plan_table),
            layout_of(run_table),
            layout_of(setting_table),
            layout_of(provenance_table),
            layout_of(step_table),
            layout_of(step_samples_table),
            layout_of(whole_table),
            layout_of(disturbance_table),
            layout_of(run_work_table),
            layout_of(infeed_table),
            layout_of(infeed_time_table),
            layout_of(flag_table),
            layout_of(kernel_set_table),
            layout_of(kernel_table),
            layout_of(kernel_metric_table),
            layout_of(trace_table),
            layout_of(trace_span_table),
            layout_of(step_metric_table),
            layout_of(tag_table),
            layout_of(note_table),
            layout_of(verification_table),
            layout_of(step_check_table),
            layout_of(step_occurrence_table),
            layout_of(layer_alias_table),
            layout_of(tuning_scope_table),
            layout_of(tuning_trial_table),
            layout_of(tuning_table),
            layout_of(sweep_table),
            layout_of(sweep_point_table)};
}

}  // namespace strata
