// SPDX-License-Identifier: MIT
#include "predict/residuals.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "predict/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace strata {

namespace {

constexpr std::size_t most_measured_rows = 600;  // of a class and device
constexpr std::size_t most_fitted_rows = 240;    // of these: a fit to so many takes seconds
constexpr std::size_t rows_of_one_size = 50;     // at least, if a class is divided by size
constexpr std::size_t most_sizes = 3;
constexpr std::size_t largest_parts = 3;  // that smaller rows predict
constexpr double widest = 4;              // factor of an interval

// One residual, and the group that it is checked apart from: its fold, size or device.
struct Residual {
    Seconds predicted;
    double value = 0;  // ln(measured / predicted)
    double weight = 1;
    std::size_t part = 0;
};

// The residuals of one class, made in one way.
struct ResidualSet {
    std::string device;
    std::string problem_class;
    ResidualSplit split = ResidualSplit::cross_validated;
    std::size_t devices = 1;
    std::vector<Residual> residuals = {};
};

// Where a share of the weight lies below, between the two nearest values. Requires: by value.
double weighted_quantile(std::span<const Residual> sorted, double share) {
    double whole = 0;
    for (const Residual& one : sorted) {
        whole += one.weight;
    }
    // A new value falls into each of the n + 1 gaps between n values with the same probability.
    const double mean = whole / static_cast<double>(sorted.size());
    const double sought = share * (whole + mean);
    double below = 0, before = sorted.front().value;
    for (const Residual& one : sorted) {
        if (below + one.weight >= sought) {
            const double part = std::clamp((sought - below) / one.weight, 0.0, 1.0);
            return before + part * (one.value - before);
        }
        below += one.weight;
        before = one.value;
    }
    return sorted.back().value;
}

Residuals quantiles_of(std::vector<Residual> some) {
    std::ranges::sort(some, {}, &Residual::value);
    return {.low = weighted_quantile(some, 0.1),
            .middle = weighted_quantile(some, 0.5),
            .high = weighted_quantile(some, 0.9)};
}

// One part of residuals and all others.
struct Apart {
    std::vector<Residual> part, others;
};

// Each part that has others.
std::vector<Apart> parts_of(const std::vector<Residual>& residuals) {
    std::map<std::size_t, std::vector<Residual>> by_part;
    for (const Residual& one : residuals) {
        by_part[one.part].push_back(one);
    }
    std::vector<Apart> found;
    for (const auto& [part, members] : by_part) {
        Apart apart{members, {}};
        for (const auto& [other, others] : by_part) {
            if (other != part) {
                apart.others.insert(apart.others.end(), others.begin(), others.end());
            }
        }
        if (!apart.others.empty()) {
            found.push_back(std::move(apart));
        }
    }
    return found;
}

// How many times as far from the median as an interval's end a residual lies.
double distance_in(const Residuals& interval, double value) {
    const double end = value < interval.middle ? interval.low : interval.high;
    const double reach = std::max(std::abs(end - interval.middle), 1e-6);
    return std::abs(value - interval.middle) / reach;
}

// Parts differ from one another, most of all devices: the interval of some holds less of another.
// By this factor it has to be wider to hold eight tenths, at least 1.
double widening(const std::vector<Residual>& residuals) {
    std::vector<Residual> distances;
    for (const Apart& apart : parts_of(residuals)) {
        const Residuals interval = quantiles_of(apart.others);
        for (Residual one : apart.part) {
            one.value = distance_in(interval, one.value);
            distances.push_back(one);
        }
    }
    if (distances.empty()) {
        return 1;
    }
    std::ranges::sort(distances, {}, &Residual::value);
    return std::clamp(weighted_quantile(distances, 0.8), 1.0, widest);
}

// The interval of residuals like these.
Residuals interval_of(const std::vector<Residual>& residuals) {
    Residuals found = quantiles_of(residuals);
    const double factor = widening(residuals);
    found.low = found.middle - factor * (found.middle - found.low);
    found.high = found.middle + factor * (found.high - found.middle);
    return found;
}

// The share of the residuals, by weight, that lie in the interval of those of other parts.
double covered_by_others(const std::vector<Residual>& residuals) {
    double inside = 0, whole = 0;
    for (const Apart& apart : parts_of(residuals)) {
        const Residuals interval = interval_of(apart.others);
        for (const Residual& one : apart.part) {
            whole += one.weight;
            inside += one.value >= interval.low && one.value <= interval.high ? one.weight : 0;
        }
    }
    return whole > 0 ? inside / whole : 0;
}

// The rows of a set: by size if there are enough.
void add_rows(ResidualSet set, std::vector<ResidualRow>& found) {
    std::vector<Residual>& all = set.residuals;
    std::ranges::sort(all, {}, &Residual::predicted);
    const std::size_t sizes =
        set.split == ResidualSplit::beyond
            ? 1
            : std::clamp<std::size_t>(all.size() / rows_of_one_size, 1, most_sizes);
    for (std::size_t size = 0; size < sizes; ++size) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(size * all.size() / sizes);
        const auto end = all.begin() + static_cast<std::ptrdiff_t>((size + 1) * all.size() / sizes);
        std::vector<Residual> some(first, end);
        found.push_back({.device = set.device,
                         .problem_class = set.problem_class,
                         .split = set.split,
                         .n = some.size(),
                         .devices = set.devices,
                         .until = some.back().predicted,
                         .residuals = interval_of(some),
                         .covered = covered_by_others(some)});
    }
}

ResidualSet set_of(const MeasuredClass& measured, ResidualSplit split,
                   const std::vector<Seconds>& predicted) {
    ResidualSet set{measured.device.name, measured.problem_class, split};
    const std::vector<std::size_t> fold_of = folds_of(measured.rows);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        set.residuals.push_back({.predicted = predicted[i],
                                 .value = std::log(*measured.rows[i]->measured / predicted[i]),
                                 .part = fold_of[i]});
    }
    return set;
}

// The largest fifth of the rows, of the rest, and of what then remains, by rates fitted to those
// that are smaller.
ResidualSet beyond_of(const MeasuredClass& measured, const std::vector<Seconds>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sizes[i]; });
    MeasuredClass found = measured;
    found.rows.clear();
    std::vector<Seconds> times;
    std::vector<std::size_t> parts;
    std::size_t end = order.size();
    for (std::size_t part = 0; part < largest_parts; ++part) {
        const std::size_t first = end - end / folds;
        MeasuredRows smaller, larger;
        for (std::size_t i = 0; i < end; ++i) {
            (i < first ? smaller : larger).push_back(measured.rows[order[i]]);
        }
        const DeviceRates rates =
            rates_fitted_to(sample_of(smaller, most_fitted_rows), measured.device);
        const auto predicted = predict_rows(larger, measured.device, rates, KernelKnown::no);
        times.insert(times.end(), predicted.begin(), predicted.end());
        found.rows.insert(found.rows.end(), larger.begin(), larger.end());
        parts.insert(parts.end(), larger.size(), part);
        end = first;
    }
    ResidualSet set = set_of(found, ResidualSplit::beyond, times);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        set.residuals[i].part = parts[i];
    }
    return set;
}

void add_sets(const MeasuredClass& whole, std::vector<ResidualSet>& found) {
    MeasuredClass measured = whole;
    measured.rows = sample_of(whole.rows, most_measured_rows);
    const std::vector<DeviceRates> rates = cross_rates(measured, most_fitted_rows);
    found.push_back(
        set_of(measured, ResidualSplit::cross_validated, cross_validated(measured, rates)));
    const auto unknown = cross_validated(measured, rates, KernelKnown::no);
    if (std::ranges::any_of(measured.rows, [](const auto* row) { return names_kernel(*row); })) {
        found.push_back(set_of(measured, ResidualSplit::kernel_unknown, unknown));
    }
    found.push_back(beyond_of(measured, unknown));
    found.push_back(set_of(measured, ResidualSplit::uncalibrated,
                           predict_rows(measured.rows, measured.device, {}, KernelKnown::no)));
    if (const auto times = left_out(measured, rates_of(measured.device.name))) {
        found.push_back(set_of(measured, ResidualSplit::left_out, *times));
    }
}

// The class's residuals of all machines, each with the same weight.
ResidualSet of_machines(std::string problem_class,
                        const std::map<std::string, std::vector<Residual>>& by_machine) {
    ResidualSet set{"", std::move(problem_class), ResidualSplit::left_out, by_machine.size()};
    std::size_t part = 0;
    for (const auto& [machine, members] : by_machine) {
        for (Residual one : members) {
            one.weight = 1 / static_cast<double>(members.size());
            one.part = part;
            set.residuals.push_back(one);
        }
        ++part;
    }
    return set;
}

// Several devices' residuals, each device with the same weight, by class and by family.
std::vector<ResidualSet> together(std::span<const ResidualSet> sets) {
    std::map<std::pair<std::string, ResidualSplit>, std::map<std::string, std::vector<Residual>>>
        grouped;
    for (const ResidualSet& set : sets) {
        for (const std::string& name : {set.problem_class, family_of_class(set.problem_class)}) {
            auto& members = grouped[{name, set.split}][set.device];
            members.insert(members.end(), set.residuals.begin(), set.residuals.end());
        }
    }
    std::vector<ResidualSet> found;
    for (const auto& [key, by_device] : grouped) {
        ResidualSet set = of_machines(key.first, by_device);
        set.split = key.second;
        found.push_back(std::move(set));
    }
    return found;
}

// Deciles of the standard normal distribution, and its standard deviation in units of the mean
// absolute deviation.
constexpr std::array normal_deciles = {-1.645, -1.036, -0.674, -0.385, -0.126,
                                       0.126,  0.385,  0.674,  1.036,  1.645};
constexpr double deviation_of_mean = 1.2533;

// Whether a device's own row says something: nothing tells of a device that it was left out.
bool is_of_device(const ResidualSet& set) {
    return set.split != ResidualSplit::left_out && set.split != ResidualSplit::uncalibrated;
}

}  // namespace

std::string family_of_class(std::string_view problem_class) {
    const auto begins = [&](std::string_view with) { return problem_class.starts_with(with); };
    if (begins("any ") || begins("network ") || begins("layer ")) {
        return std::string(problem_class);
    }
    if (begins("gemm") || problem_class == "linear" || problem_class == "bmm") {
        return "any product";
    }
    for (const char* const name : {"convolution", "recurrent", "attention", "fully connected"}) {
        if (begins(name)) {
            return fmt::format("any {}", name);
        }
    }
    return "any operator";
}

std::string network_class(DeviceKind kind) {
    return fmt::format("network on a {}", name_of(kind));
}

std::vector<ResidualRow> residuals_of(std::span<const MeasuredNetwork> networks) {
    std::map<std::string, std::map<std::string, std::vector<Residual>>> by_class;
    for (const MeasuredNetwork& one : networks) {
        by_class[network_class(one.kind)][one.machine].push_back(
            {.predicted = one.predicted, .value = std::log(one.measured / one.predicted)});
        if (one.kind == DeviceKind::cpu && one.layer_error > 0) {
            for (const double decile : normal_deciles) {
                by_class[std::string(cpu_layers)][one.machine].push_back(
                    {.predicted = one.predicted,
                     .value = decile * deviation_of_mean * one.layer_error});
            }
        }
    }
    std::vector<ResidualRow> found;
    for (const auto& [name, by_machine] : by_class) {
        if (by_machine.size() >= enough_devices) {
            add_rows(of_machines(name, by_machine), found);
        }
    }
    return found;
}

std::vector<ResidualRow> residuals_of(std::span<const ProblemRow* const> rows) {
    MeasuredRowsByClass by_class;
    group(rows, by_class);
    std::vector<ResidualSet> sets;
    for (const MeasuredClass& measured : by_class.classes) {
        add_sets(measured, sets);
    }
    std::vector<ResidualRow> found;
    for (const ResidualSet& set : sets) {
        if (is_of_device(set)) {
            add_rows(set, found);
        }
    }
    for (ResidualSet& set : together(sets)) {
        if (set.devices >= enough_devices) {
            add_rows(std::move(set), found);
        }
    }
    return found;
}

}  // namespace strata
