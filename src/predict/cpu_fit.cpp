// SPDX-License-Identifier: MIT
#include "predict/cpu_fit.h"

#include "predict/fit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// How strongly rates are held to their start, in rows: strongly enough that rates without evidence
// do not move.
constexpr double usual_cpu_pull = 0.03;

// A time and the work of its pass on a CPU.
struct FitRow {
    std::vector<CpuWork> works;
    Mode mode = Mode::training;
    double seconds = 0;
};

std::vector<CpuWork> works_for(const OperatorTime& one) {
    Execution execution;
    execution.numerics.mode = one.mode;
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    const LayerTask task{one.op, one.signature, one.pass, execution};
    if (one.kind == StepKind::compute) {
        return work_on_cpu(task);
    }
    const auto reorder = one.kind == StepKind::reorder ? reorder_on_cpu(task) : std::nullopt;
    return reorder ? std::vector<CpuWork>{*reorder} : std::vector<CpuWork>();
}

Seconds time_alone(std::span<const CpuWork> works, const CpuCeilings& ceilings,
                   const CpuRates& rates, Mode mode) {
    Seconds sum;
    for (const CpuWork& work : works) {
        sum += predict_on_cpu(work, ceilings, rates, Surroundings::alone, mode).time;
    }
    return sum;
}

using RowsByFamily = std::map<std::string, std::vector<FitRow>, std::less<>>;

RowsByFamily rows_by_family(std::span<const OperatorTime> times) {
    RowsByFamily found;
    for (const OperatorTime& one : times) {
        std::vector<CpuWork> works = works_for(one);
        if (!works.empty() && one.time > Seconds{} && std::isfinite(one.time.value)) {
            std::string family = works.back().family;
            found[std::move(family)].push_back({std::move(works), one.mode, one.time.value});
        }
    }
    return found;
}

class CpuFit {
public:
    explicit CpuFit(const DeviceDescription& device) : ceilings_(ceilings_for_rates(device)) {}

    void move(std::span<const FitParameter> parameters, std::span<const FitRow* const> rows) {
        std::vector<double> measured;
        for (const FitRow* const row : rows) {
            measured.push_back(row->seconds);
        }
        fit(parameters, measured, [&](std::span<double> predicted) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                predicted[i] = time_alone(rows[i]->works, ceilings_, rates, rows[i]->mode).value;
            }
        });
    }

    void fit_family(const std::string& family, const std::vector<FitRow>& rows) {
        std::vector<const FitRow*> all;
        for (const FitRow& row : rows) {
            all.push_back(&row);
        }
        std::vector<FitParameter> parameters;
        if (rows.front().works.front().is_product) {
            CpuProductRates& found = rates.products[family];
            for (double* const value :
                 {&found.call.value, &found.efficiency, &found.sum, &found.row, &found.columns,
                  &found.traffic, &found.refetch}) {
                parameters.push_back({value, usual_cpu_pull});
            }
        } else {
            CpuStreamRates& found = rates.streams[family];
            begin_at_arithmetic(found, rows);
            for (double* const value : {&found.call.value, &found.operations, &found.traffic}) {
                parameters.push_back({value, usual_cpu_pull});
            }
        }
        move(parameters, all);
    }

    // The bandwidths, fitted to operators with little arithmetic.
    void fit_memory(const RowsByFamily& families) {
        constexpr std::array light = {"relu forward", "add forward", "relu backward_data",
                                      "fully_connected update"};
        std::vector<const FitRow*> all;
        std::vector<FitParameter> parameters = {{&rates.l2, usual_cpu_pull},
                                                {&rates.l3, usual_cpu_pull},
                                                {&rates.dram, usual_cpu_pull},
                                                {&rates.share, usual_cpu_pull}};
        for (const char* const family : light) {
            const auto found = families.find(family);
            if (found == families.end()) {
                continue;
            }
            parameters.push_back({&rates.streams[family].call.value, usual_cpu_pull});
            for (const FitRow& row : found->second) {
                all.push_back(&row);
            }
        }
        if (!all.empty()) {
            move(parameters, all);
        }
    }

    CpuRates rates;

private:
    // Starts at half the cost of an operation if operations took all the time of the median row.
    // From a far lower start, traffic would hide the cost from the fit.
    void begin_at_arithmetic(CpuStreamRates& found, const std::vector<FitRow>& rows) const {
        std::vector<double> costs;
        for (const FitRow& row : rows) {
            const double operations = row.works.front().operations;
            if (operations > 0) {
                costs.push_back(row.seconds * ceilings_.peak.value / operations);
            }
        }
        if (!costs.empty()) {
            const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
            std::ranges::nth_element(costs, middle);
            found.operations = *middle / 2;
        }
    }

    CpuCeilings ceilings_;
};

}  // namespace

CpuRates fit_cpu_rates(std::span<const OperatorTime> times, const DeviceDescription& device) {
    const RowsByFamily families = rows_by_family(times);
    CpuFit whole(device);
    whole.fit_memory(families);
    for (const auto& [family, rows] : families) {
        whole.fit_family(family, rows);
    }
    return std::move(whole.rates);
}

std::optional<Seconds> predict_alone(const OperatorTime& one, const CpuCeilings& ceilings,
                                     const CpuRates& rates) {
    const std::vector<CpuWork> works = works_for(one);
    return works.empty() ? std::nullopt
                         : std::optional(time_alone(works, ceilings, rates, one.mode));
}

}  // namespace strata
