// SPDX-License-Identifier: MIT
#include "analyze/rollup.h"

#include "analyze/family.h"
#include "base/enumeration.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace strata {

namespace {

constexpr std::string_view separators = "./";

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_path(std::string_view name) {
    return name.find_first_of(separators) != std::string_view::npos;
}

// Where to cut a path: after its first number that is not its end, else before its last component.
std::string_view block_in_path(std::string_view name) {
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = name.find_first_of(separators, begin);
        if (end == std::string_view::npos) {
            break;
        }
        if (is_number(name.substr(begin, end - begin))) {
            return name.substr(0, end);
        }
        begin = end + 1;
    }
    return name.substr(0, name.find_last_of(separators));
}

// "2" of conv2_1; a name without a number is its own block.
std::string_view first_number(std::string_view name) {
    constexpr std::string_view digits = "0123456789";
    const auto begin = name.find_first_of(digits);
    if (begin == std::string_view::npos) {
        return name;
    }
    const auto end = name.find_first_not_of(digits, begin);
    return name.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// The display name of the family of each of the run's steps.
std::vector<std::string> family_names(const Run& run) {
    std::vector<StepWork> works;
    for (const StepResult& step : run.steps) {
        works.push_back({step.layer, step.operation, step.problem, step.pass, step.kind});
    }
    const auto families = families_of(works);
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < families.size(); ++i) {
        members[families[i]].push_back(i);
    }
    const LayerNames names(layers_of(run));
    std::vector<std::string> named(run.steps.size());
    for (const auto& [family, steps] : members) {
        const std::string name =
            names.text(layers_of(run, steps)) + " " + pass_text(run.steps[steps.front()]);
        for (const std::size_t i : steps) {
            named[i] = name;
        }
    }
    return named;
}

// Each step's group by one grouping.
class Namer {
public:
    Namer(const Run& run, std::span<const Grouping> by) : run_(run) {
        if (std::ranges::find(by, Grouping::block) != by.end()) {
            const auto layers = layers_of(run);
            const auto blocks = blocks_of(layers);
            for (std::size_t i = 0; i < layers.size(); ++i) {
                blocks_[layers[i]] = blocks[i];
            }
        }
        if (std::ranges::find(by, Grouping::family) != by.end()) {
            families_ = family_names(run);
        }
    }

    std::string name(std::size_t index, Grouping by) const {
        const StepResult& step = run_.steps[index];
        switch (by) {
            case Grouping::operation:
                return step.kind == StepKind::compute ? step.operation
                                                      : std::string(name_of(step.kind));
            case Grouping::block:
                return blocks_.at(step.layer);
            case Grouping::pass:
                return std::string(name_of(step.pass));
            case Grouping::algorithm:
                return step.algorithm;
            case Grouping::implementation:
                return step.implementation;
            case Grouping::layer:
                return step.layer;
            case Grouping::family:
                return families_[index];
        }
        return "";
    }

private:
    const Run& run_;
    std::map<std::string, std::string> blocks_;
    std::vector<std::string> families_;  // by step
};

class RollUp {
public:
    RollUp(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds,
           std::span<const Grouping> by)
        : run_(run), summary_(summary), bounds_(bounds), namer_(run, by) {}

    std::vector<StepGroup> groups(std::span<const Grouping> by,
                                  std::span<const std::size_t> chosen) const {
        if (by.empty()) {
            return {};
        }
        std::vector<std::string> order;
        std::map<std::string, std::vector<std::size_t>> members;
        for (const std::size_t i : chosen) {
            const std::string name = namer_.name(i, by.front());
            auto& steps = members[name];
            if (steps.empty()) {
                order.push_back(name);
            }
            steps.push_back(i);
        }
        std::vector<StepGroup> groups;
        for (const std::string& name : order) {
            groups.push_back(group_of(run_, summary_, bounds_, name, members.at(name)));
            groups.back().parts = this->groups(by.subspan(1), members.at(name));
        }
        if (by.front() == Grouping::pass) {
            std::ranges::stable_sort(groups, {},
                                     [](const StepGroup& group) { return parse_pass(group.name); });
        }
        return groups;
    }

private:
    const Run& run_;
    const Summary& summary_;
    const std::vector<StepBound>& bounds_;
    Namer namer_;
};

}  // namespace

std::vector<std::string> layers_of(const Run& run, std::span<const std::size_t> members) {
    std::vector<std::string> layers;
    std::set<std::string_view> known;
    for (const std::size_t i : members) {
        if (known.insert(run.steps[i].layer).second) {
            layers.push_back(run.steps[i].layer);
        }
    }
    return layers;
}

std::vector<std::string> layers_of(const Run& run) {
    std::vector<std::size_t> all(run.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return layers_of(run, all);
}

std::string pass_text(const StepResult& step) {
    const std::string pass(name_of(step.pass));
    return step.kind == StepKind::compute ? pass : pass + " " + std::string(name_of(step.kind));
}

StepGroup group_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds,
                   std::string name, std::vector<std::size_t> members) {
    StepGroup group{.name = std::move(name)};
    group.layers = layers_of(run, members).size();
    for (const std::size_t i : members) {
        const StepResult& step = run.steps[i];
        const StepTime& time = summary.steps[i];
        group.reach.add(step, time, bounds[i]);
        if (time.time) {
            add_share(group.share, time.share);
            group.flops += step.flops;
            group.traffic += step.read + step.written;
            auto& pass = group.passes[static_cast<std::size_t>(step.pass)];
            pass = pass.value_or(Seconds{}) + time.time->median;
        }
    }
    group.members = std::move(members);
    return group;
}

std::optional<double> StepGroup::backward_over_forward() const {
    const auto time_of = [&](Pass pass) { return passes[static_cast<std::size_t>(pass)]; };
    const auto forward = time_of(Pass::forward);
    const auto data = time_of(Pass::backward_data), weights = time_of(Pass::backward_weights);
    if (!forward || *forward <= Seconds{} || (!data && !weights)) {
        return std::nullopt;
    }
    return (data.value_or(Seconds{}) + weights.value_or(Seconds{})) / *forward;
}

std::vector<StepGroup> rolled_up(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::span<const Grouping> by,
                                 std::span<const std::size_t> chosen) {
    return RollUp(run, summary, bounds, by).groups(by, chosen);
}

std::vector<std::string> blocks_of(std::span<const std::string> layers) {
    std::vector<std::string> blocks(layers.size());
    std::set<std::string_view> paths;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (is_path(layers[i])) {
            blocks[i] = block_in_path(layers[i]);
            paths.insert(blocks[i]);
        }
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (blocks[i].empty() && paths.contains(layers[i])) {
            blocks[i] = layers[i];
        }
    }
    for (std::size_t first = 0; first < layers.size();) {
        std::size_t end = first + 1;
        if (blocks[first].empty()) {
            const auto number = first_number(layers[first]);
            while (end < layers.size() && blocks[end].empty() &&
                   first_number(layers[end]) == number) {
                ++end;
            }
            const std::string name =
                end == first + 1 ? layers[first] : layers[first] + ".." + layers[end - 1];
            std::fill(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                      blocks.begin() + static_cast<std::ptrdiff_t>(end), name);
        }
        first = end;
    }
    return blocks;
}

}  // namespace strata
