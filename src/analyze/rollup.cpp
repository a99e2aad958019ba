// SPDX-License-Identifier: MIT
#include "analyze/rollup.h"

#include "base/enumeration.h"

#include <algorithm>
#include <map>
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

// Where a path is cut: after its first number that is not its end, else before its last component.
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

std::vector<std::string> layers_of(const Run& run) {
    std::vector<std::string> layers;
    std::set<std::string_view> known;
    for (const StepResult& step : run.steps) {
        if (known.insert(step.layer).second) {
            layers.push_back(step.layer);
        }
    }
    return layers;
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
        }
        return "";
    }

private:
    const Run& run_;
    std::map<std::string, std::string> blocks_;
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
            groups.push_back(group(name, members.at(name)));
            groups.back().parts = this->groups(by.subspan(1), members.at(name));
        }
        if (by.front() == Grouping::pass) {
            sort_by_pass(groups);
        }
        return groups;
    }

private:
    StepGroup group(const std::string& name, const std::vector<std::size_t>& members) const {
        StepGroup group{.name = name, .steps = members.size()};
        std::set<std::string_view> layers;
        for (const std::size_t i : members) {
            layers.insert(run_.steps[i].layer);
            add_step(group, i);
        }
        group.layers = layers.size();
        return group;
    }

    void add_step(StepGroup& group, std::size_t i) const {
        const StepResult& step = run_.steps[i];
        const StepTime& time = summary_.steps[i];
        add(group.reach, step, time, bounds_[i]);
        if (time.time) {
            add_share(group.share, time.share);
            group.flops += step.flops;
            group.traffic += step.read + step.written;
            auto& pass = group.passes[static_cast<std::size_t>(step.pass)];
            pass = pass.value_or(Seconds{}) + time.time->median;
        }
    }

    static void sort_by_pass(std::vector<StepGroup>& groups) {
        std::ranges::stable_sort(groups, {},
                                 [](const StepGroup& group) { return parse_pass(group.name); });
    }

    const Run& run_;
    const Summary& summary_;
    const std::vector<StepBound>& bounds_;
    Namer namer_;
};

}  // namespace

void StepGroup::add(const StepGroup& other) {
    steps += other.steps;
    layers += other.layers;
    reach.median += other.reach.median;
    reach.gain += other.reach.gain;
    reach.has_ceiling = reach.has_ceiling || other.reach.has_ceiling;
    reach.lacks_ceiling = reach.lacks_ceiling || other.reach.lacks_ceiling;
    add_share(share, other.share);
    flops += other.flops;
    traffic += other.traffic;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (other.passes[i]) {
            passes[i] = passes[i].value_or(Seconds{}) + *other.passes[i];
        }
    }
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
