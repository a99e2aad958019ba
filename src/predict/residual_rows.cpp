// SPDX-License-Identifier: MIT
#include "predict/residual_rows.h"

#include "predict/predictive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace strata {

namespace {

constexpr std::size_t rows_of_one_size = 50;  // at least, if a class is divided by size
constexpr std::size_t most_sizes = 3;
constexpr std::size_t most_of_a_circle = 50;  // residuals of a set, as a part of many sets
constexpr double held = 0.8;                  // of measured times, by intervals of others

using ResidualSets = std::vector<const ResidualSet*>;

// Evenly spread over the values, counting as `groups` groups together.
void append(std::vector<Residual> some, double groups, std::vector<WeightedResidual>& to) {
    std::ranges::sort(some, {}, &Residual::value);
    const std::size_t count = std::min(some.size(), most_of_a_circle);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = (2 * i + 1) * some.size() / (2 * count);
        to.push_back({some[at].value, groups / static_cast<double>(count)});
    }
}

// Each device once, whatever it measured.
ResidualDistribution devices_alike(const ResidualSets& sets) {
    std::map<std::string_view, double> sets_of_device;
    for (const ResidualSet* const set : sets) {
        ++sets_of_device[set->device];
    }
    std::vector<WeightedResidual> found;
    for (const ResidualSet* const set : sets) {
        append(set->residuals, 1 / sets_of_device[set->device], found);
    }
    return ResidualDistribution(std::move(found));
}

Seconds longest_in(const ResidualSet& set) {
    return std::ranges::max(set.residuals, {}, &Residual::predicted).predicted;
}

// A class and its family.
std::vector<std::string> circles_of(const std::string& problem_class) {
    std::string family = family_of_class(problem_class);
    return family == problem_class ? std::vector{problem_class}
                                   : std::vector{problem_class, std::move(family)};
}

// What is known of classes from all devices but one, which may be none.
class OtherDevices {
public:
    OtherDevices(const ResidualSets& sets, std::string_view without) {
        for (const ResidualSet* const set : sets) {
            if (set->device != without) {
                for (const std::string& name : circles_of(set->problem_class)) {
                    by_class_[name].push_back(set);
                }
                all_.push_back(set);
            }
        }
    }

    // Of the class, its family and all classes, each narrower than the next; empty for a family of
    // which nothing was measured.
    ResidualDistribution expected(const std::string& problem_class) {
        if (const auto known = known_.find(problem_class); known != known_.end()) {
            return known->second;
        }
        const std::string family = family_of_class(problem_class);
        const auto measured = by_class_.find(problem_class);
        const ResidualDistribution own =
            measured == by_class_.end() ? ResidualDistribution() : devices_alike(measured->second);
        const bool is_family = family == problem_class;
        const ResidualDistribution found =
            is_family && own.is_empty()
                ? own
                : own.with(is_family ? devices_alike(all_) : expected(family));
        return known_.emplace(problem_class, found).first->second;
    }

private:
    std::map<std::string, ResidualSets, std::less<>> by_class_;
    ResidualSets all_;
    std::map<std::string, ResidualDistribution> known_;
};

// A row, what is expected of another group of residuals like its own, and how far out those of each
// group lie in what the others let expect: 0 at the median, 1 outside of everything.
struct ExpectedRow {
    ResidualRow row;
    ResidualDistribution expected;
    std::vector<WeightedResidual> depths = {};
};

void add_depths(const ResidualDistribution& expected, std::span<const Residual> group,
                double weight, std::vector<WeightedResidual>& depths) {
    if (expected.is_empty()) {
        return;
    }
    for (const Residual& one : group) {
        depths.push_back({std::abs(2 * expected.share_below(one.value) - 1),
                          weight / static_cast<double>(group.size())});
    }
}

// Rows made in one way get the same level: the outer quantiles between which eight tenths of the
// groups lay that had no part in them.
void close(std::vector<ExpectedRow>& rows, std::vector<ResidualRow>& found) {
    std::vector<WeightedResidual> all;
    for (const ExpectedRow& one : rows) {
        all.insert(all.end(), one.depths.begin(), one.depths.end());
    }
    const ResidualDistribution depths(std::move(all));
    const double level = depths.is_empty() ? held : depths.quantile(held);
    for (ExpectedRow& one : rows) {
        const ResidualDistribution own(std::move(one.depths));
        one.row.residuals = {.low = one.expected.quantile((1 - level) / 2),
                             .middle = one.expected.quantile(0.5),
                             .high = one.expected.quantile((1 + level) / 2)};
        one.row.covered = own.is_empty() ? 0 : own.share_below(level + 1e-9);
        found.push_back(std::move(one.row));
    }
}

// The parts of a set by size, if it has enough; sizes beyond the fit are one.
std::vector<ResidualSet> by_size(ResidualSet set) {
    std::vector<Residual>& all = set.residuals;
    std::ranges::sort(all, {}, &Residual::predicted);
    const std::size_t sizes =
        set.split == ResidualSplit::beyond
            ? 1
            : std::clamp<std::size_t>(all.size() / rows_of_one_size, 1, most_sizes);
    std::vector<ResidualSet> found;
    for (std::size_t size = 0; size < sizes; ++size) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(size * all.size() / sizes);
        const auto end = all.begin() + static_cast<std::ptrdiff_t>((size + 1) * all.size() / sizes);
        found.push_back({set.device, set.problem_class, set.split, {first, end}});
    }
    return found;
}

// A device's residuals of one size. Beyond the fit each part is a group; within it each row is,
// since those of other folds resemble it as much as its own.
std::vector<WeightedResidual> groups_in(const ResidualSet& set,
                                        std::optional<std::size_t> without) {
    std::map<std::size_t, double> rows_of_part;
    for (const Residual& one : set.residuals) {
        ++rows_of_part[one.part];
    }
    std::vector<WeightedResidual> found;
    for (const Residual& one : set.residuals) {
        if (one.part != without) {
            const bool is_beyond = set.split == ResidualSplit::beyond;
            found.push_back({one.value, is_beyond ? 1 / rows_of_part[one.part] : 1});
        }
    }
    return found;
}

ExpectedRow own_row(const ResidualSet& set, const ResidualDistribution& elsewhere) {
    const auto expected = [&](std::optional<std::size_t> without) {
        return ResidualDistribution(groups_in(set, without)).with(elsewhere);
    };
    std::map<std::size_t, std::vector<Residual>> parts;
    for (const Residual& one : set.residuals) {
        parts[one.part].push_back(one);
    }
    ExpectedRow found{{.device = set.device,
                       .problem_class = set.problem_class,
                       .split = set.split,
                       .n = set.residuals.size(),
                       .until = longest_in(set),
                       .residuals = {}},
                      expected({})};
    for (const auto& [part, members] : parts) {
        const double rows = static_cast<double>(members.size());
        if (parts.size() > 1 || !elsewhere.is_empty()) {
            add_depths(expected(part), members, rows, found.depths);
        }
    }
    return found;
}

// What is known without each device.
using WithoutDevice = std::map<std::string, OtherDevices, std::less<>>;

// Of a class or family on all devices. None if no other device says how much one device differs.
std::optional<ExpectedRow> row_of_devices(const std::string& name, const ResidualSets& sets,
                                          OtherDevices& of_all, WithoutDevice& without) {
    ExpectedRow found{{.device = {},
                       .problem_class = name,
                       .split = sets.front()->split,
                       .until = {},
                       .residuals = {}},
                      of_all.expected(name)};
    std::set<std::string_view> devices;
    for (const ResidualSet* const set : sets) {
        found.row.n += set->residuals.size();
        found.row.until = std::max(found.row.until, longest_in(*set));
        devices.insert(set->device);
        add_depths(without.at(set->device).expected(name), set->residuals, 1, found.depths);
    }
    found.row.devices = devices.size();
    return found.depths.empty() ? std::nullopt : std::optional(std::move(found));
}

// Whether a device's own row says something: nothing tells of a device that it was left out.
bool is_of_device(ResidualSplit split) {
    return split != ResidualSplit::left_out && split != ResidualSplit::uncalibrated;
}

// The rows of one split, of each device and of all devices, by class and by family.
void add_rows(const ResidualSets& sets, std::vector<ResidualRow>& found) {
    WithoutDevice without;
    std::map<std::string, ResidualSets> by_class;
    for (const ResidualSet* const set : sets) {
        without.try_emplace(set->device, sets, set->device);
        for (const std::string& name : circles_of(set->problem_class)) {
            by_class[name].push_back(set);
        }
    }
    std::vector<ExpectedRow> own, of_devices;
    for (const ResidualSet* const set : sets) {
        if (is_of_device(set->split)) {
            const auto elsewhere = without.at(set->device).expected(set->problem_class);
            for (const ResidualSet& size : by_size(*set)) {
                own.push_back(own_row(size, elsewhere));
            }
        }
    }
    OtherDevices of_all(sets, "");
    for (const auto& [name, members] : by_class) {
        if (auto row = row_of_devices(name, members, of_all, without)) {
            of_devices.push_back(*std::move(row));
        }
    }
    close(own, found);
    close(of_devices, found);
}

}  // namespace

std::string family_of_class(std::string_view problem_class) {
    const auto begins = [&](std::string_view with) { return problem_class.starts_with(with); };
    if (begins("any ") || problem_class == collective_class) {
        return std::string(problem_class);
    }
    if (begins("gemm") || problem_class == "linear" || problem_class == "bmm") {
        return "any product";
    }
    if (begins("softmax") || begins("ln ") || begins("rms_norm") || begins("add_rms_norm")) {
        return "any row operator";
    }
    for (const char* const name :
         {"convolution", "recurrent", "attention", "fully connected", "network", "layer"}) {
        if (begins(name)) {
            return fmt::format("any {}", name);
        }
    }
    return "any operator";
}

std::vector<ResidualRow> rows_of(std::span<const ResidualSet> sets) {
    std::map<ResidualSplit, ResidualSets> by_split;
    for (const ResidualSet& set : sets) {
        by_split[set.split].push_back(&set);
    }
    std::vector<ResidualRow> found;
    for (const auto& [split, members] : by_split) {
        add_rows(members, found);
    }
    return found;
}

}  // namespace strata
