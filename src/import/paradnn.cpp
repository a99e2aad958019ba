// SPDX-License-Identifier: MIT
#include "import/paradnn.h"

#include "base/error.h"
#include "base/text.h"
#include "import/chrome_trace.h"
#include "record/identity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

using ResultsJson = nlohmann::json;

constexpr std::uint64_t longest_token = 1 << 20;  // bytes
constexpr std::size_t max_entries = 1'000'000;
constexpr double cores_of_board = 8;
constexpr double giga = 1e9;

// The relevant lists, unchanged from the file.
struct ParadnnLists {
    std::vector<std::string> labels, states, failed;
    std::vector<double> rates, flops, parameters, intensities;
};

// Reads the lists of the outermost object, which are flat.
class ParadnnReader final : public nlohmann::json_sax<ResultsJson> {
public:
    explicit ParadnnReader(ByteSource& source) : source_(source) {}

    bool null() override { return took(); }
    bool boolean(bool) override { return took(); }
    bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
    bool number_unsigned(std::uint64_t value) override {
        return number(static_cast<double>(value));
    }
    bool number_float(double value, const std::string&) override { return number(value); }
    bool string(std::string& text) override {
        if (depth_ == 2 && texts_ != nullptr) {
            require_room(texts_->size());
            texts_->push_back(text);
        }
        return took();
    }
    bool binary(ResultsJson::binary_t&) override { return took(); }
    bool start_object(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }
    bool key(std::string& key) override {
        if (depth_ == 1) {
            choose(key);
        }
        return took();
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    void require_short_value() const {
        if (source_.position() - begun_ > longest_token) {
            throw Error(
                fmt::format("'{}' has a text or number of more than 1 MB at byte {}: it is not a "
                            "list of results",
                            source_.name(), begun_));
        }
    }

    const ParadnnLists& lists() const { return lists_; }

private:
    bool took() {
        begun_ = source_.position();
        return true;
    }
    bool number(double value) {
        if (depth_ == 2 && numbers_ != nullptr) {
            require_room(numbers_->size());
            numbers_->push_back(value);
        }
        return took();
    }
    bool enter() {
        if (++depth_ > 16) {
            throw Error(
                fmt::format("'{}' is nested deeper than 16 at byte {}: it is not a list of "
                            "results",
                            source_.name(), source_.position()));
        }
        return took();
    }
    bool leave() {
        --depth_;
        return took();
    }
    void choose(std::string_view key) {
        texts_ = key == "labels"     ? &lists_.labels
                 : key == "states"   ? &lists_.states
                 : key == "err_jobs" ? &lists_.failed
                                     : nullptr;
        numbers_ = key == "step_per_sec" ? &lists_.rates
                   : key == "fl"         ? &lists_.flops
                   : key == "params"     ? &lists_.parameters
                   : key == "intensity"  ? &lists_.intensities
                                         : nullptr;
    }
    void require_room(std::size_t size) const {
        if (size >= max_entries) {
            throw Error(
                fmt::format("'{}' has more than a million entries at byte {}: import it "
                            "in parts",
                            source_.name(), source_.position()));
        }
    }

    ByteSource& source_;
    ParadnnLists lists_ = {};
    std::vector<std::string>* texts_ = nullptr;
    std::vector<double>* numbers_ = nullptr;
    std::uint64_t begun_ = 0;
    int depth_ = 0;
};

// "layer_L-node_n-input_I-output_O-bs_B"
ParadnnEntry entry_named(const std::string& label, const std::string& file) {
    constexpr std::array<std::string_view, 5> names = {"layer", "node", "input", "output", "bs"};
    std::array<std::int64_t, names.size()> values = {};
    const auto parts = split(label, '-');
    bool is_label = parts.size() == names.size();
    for (std::size_t i = 0; i < names.size() && is_label; ++i) {
        const auto pair = split(parts[i], '_');
        const auto value = pair.size() == 2 ? parse_integer(pair[1]) : std::nullopt;
        is_label = value && pair[0] == names[i] && *value > 0 && *value <= 1'000'000'000;
        values[i] = value.value_or(0);
    }
    if (!is_label) {
        throw Error(
            fmt::format("'{}': the label '{}' is not of the form "
                        "layer_L-node_n-input_I-output_O-bs_B",
                        file, printable(label)));
    }
    return {.network = fmt::format("fc:layers={},nodes={},inputs={},outputs={}", values[0],
                                   values[1], values[2], values[3]),
            .batch = values[4]};
}

// Bytes per parameter by the file's own intensities, from all entries that allow deriving it.
ParadnnPlatform platform_of(const ParadnnLists& lists) {
    double bytes = 0, count = 0;
    for (std::size_t i = 0; i < lists.intensities.size(); ++i) {
        if (i < lists.flops.size() && i < lists.parameters.size() && lists.parameters[i] > 0 &&
            lists.intensities[i] > 0) {
            bytes += lists.flops[i] * giga / (lists.parameters[i] * lists.intensities[i]);
            count += 1;
        }
    }
    return count > 0 && bytes / count < 3 ? ParadnnPlatform::tpu : ParadnnPlatform::gpu;
}

void require_equal_lengths(const ParadnnLists& lists, const std::string& file) {
    if (lists.labels.empty() || lists.labels.size() != lists.rates.size()) {
        throw Error(
            fmt::format("'{}' has {} labels and {} step_per_sec: give a file of ParaDnn's "
                        "results that has one of each for every network",
                        file, lists.labels.size(), lists.rates.size()));
    }
    if (!lists.flops.empty() && lists.flops.size() != lists.labels.size()) {
        throw Error(
            fmt::format("'{}' has {} labels and {} fl: give a file that has one of each "
                        "for every network, or no fl",
                        file, lists.labels.size(), lists.flops.size()));
    }
}

ParadnnResults results_of(const ParadnnLists& lists, const std::string& file) {
    require_equal_lengths(lists, file);
    ParadnnResults results{.platform = platform_of(lists)};
    const double cores = results.platform == ParadnnPlatform::tpu ? cores_of_board : 1;
    for (std::size_t i = 0; i < lists.labels.size(); ++i) {
        ParadnnEntry& entry = results.entries.emplace_back(entry_named(lists.labels[i], file));
        entry.steps_per_second = lists.rates[i];
        // (A step takes between a nanosecond and a year.)
        if (!(lists.rates[i] > 3e-8 && lists.rates[i] < 1e9)) {
            throw Error(fmt::format("'{}': entry {} of step_per_sec is not a rate of steps: {}",
                                    file, i + 1, lists.rates[i]));
        }
        if (i < lists.flops.size() && lists.flops[i] > 0 && lists.flops[i] < 1e9) {
            entry.flops = Flops{lists.flops[i] * giga * cores};
        }
    }
    for (std::size_t i = 0; i < lists.failed.size(); ++i) {
        ParadnnEntry& entry = results.entries.emplace_back(entry_named(lists.failed[i], file));
        entry.failure = i < lists.states.size() && !lists.states[i].empty()
                            ? printable(lists.states[i])
                            : std::string("the file does not say why");
    }
    return results;
}

// The file's text with null instead of NaN, which Python writes but JSON lacks.
std::string json_without_nan(ByteSource& source) {
    constexpr std::size_t most = 64 << 20;
    std::string text;
    bool is_quoted = false;
    for (; !source.is_at_end() && text.size() <= most; source.advance()) {
        const char byte = source.byte();
        is_quoted = is_quoted != (byte == '"' && (text.empty() || text.back() != '\\'));
        text += byte;
        if (!is_quoted && text.ends_with("NaN")) {
            text.replace(text.size() - 3, 3, "null");
        }
    }
    return text;
}

// "layer_4-node_32-input_2000-output_200-bs_64"; an operator's has "-loop fusion" appended.
void add_label(const std::string& label, ReleasedTable& table) {
    std::string_view rest = label;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('-'));
        const auto underscore = part.find('_');
        const auto value =
            underscore == part.npos ? std::nullopt : parse_integer(part.substr(underscore + 1));
        if (!value) {
            break;
        }
        auto& column = table.columns[std::string(part.substr(0, underscore))];
        column.resize(table.labels.size(), std::nan(""));
        column.push_back(static_cast<double>(*value));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    table.labels.push_back(label);
    table.kinds.emplace_back(rest);
    for (auto& [name, column] : table.columns) {
        column.resize(table.labels.size(), std::nan(""));
    }
}

}  // namespace

bool is_paradnn(std::string_view head) {
    const auto first = head.find_first_not_of(" \t\r\n");
    const auto has = [&](std::string_view part) { return head.find(part) != head.npos; };
    return first != head.npos && head[first] == '{' &&
           (has("\"step_per_sec\"") || (has("\"err_jobs\"") && has("\"states\"")));
}

ParadnnResults read_paradnn(ByteSource& source) {
    using JsonInput = JsonBytes<ParadnnReader>;
    ParadnnReader reader(source);
    const bool is_whole = ResultsJson::sax_parse(JsonInput(source, reader), JsonInput(), &reader,
                                                 nlohmann::json::input_format_t::json, true);
    if (!is_whole || source.is_cut()) {
        throw Error(fmt::format("'{}' is not complete JSON at byte {}: fetch it again",
                                source.name(), source.position()));
    }
    source.skip_rest();
    return results_of(reader.lists(), source.name());
}

ReleasedTable read_released_table(ByteSource& source) {
    const auto refuse = [&](const char* why) {
        throw Error(
            fmt::format("'{}' {}: give tpu_fc.json, gpu_fc.json, fc_trace_10sec.json or "
                        "fc_trace_10sec_opbreakdown.json of ParaDnn's release",
                        source.name(), why));
    };
    const std::string text = json_without_nan(source);
    const ResultsJson json = ResultsJson::parse(text, nullptr, false);
    ReleasedTable table;
    if (!json.is_object() || !json.contains("labels") || !json["labels"].is_array()) {
        refuse("is not a JSON object with labels");
    }
    for (const ResultsJson& label : json["labels"]) {
        if (!label.is_string()) {
            refuse("has a label that is not a text");
        }
        add_label(label.get<std::string>(), table);
    }
    for (const auto& [name, list] : json.items()) {
        const bool is_flat = list.is_array() && list.size() == table.labels.size() &&
                             std::ranges::all_of(list, [](const ResultsJson& value) {
                                 return value.is_number() || value.is_null();
                             });
        if (is_flat) {
            std::vector<double>& column = table.columns[name];
            column.clear();
            for (const ResultsJson& value : list) {
                column.push_back(value.is_null() ? std::nan("") : value.get<double>());
            }
        }
    }
    if (kind_of(table).empty()) {
        refuse("has lists of another kind");
    }
    return table;
}

std::string kind_of(const ReleasedTable& table) {
    const auto has = [&](const char* name) { return table.columns.contains(name); };
    if (has("flops_perc") && has("memory_bandwidth") && has("intensity")) {
        const bool is_operators =
            std::ranges::any_of(table.kinds, [](const std::string& kind) { return !kind.empty(); });
        return is_operators ? "operators" : "trace";
    }
    if (!has("fl") || !has("params") || !has("intensity") || table.labels.empty()) {
        return "";
    }
    const ParadnnLists lists{.labels = {},
                             .states = {},
                             .failed = {},
                             .rates = {},
                             .flops = table.columns.at("fl"),
                             .parameters = table.columns.at("params"),
                             .intensities = table.columns.at("intensity")};
    return std::string(name_of(platform_of(lists))) + " results";
}

Run imported_run(const ParadnnEntry& entry, ParadnnPlatform platform, const ParadnnFiling& filing,
                 const CountedStep& counted) {
    Run run;
    run.created = filing.created;
    run.origin = Origin::imported;
    run.settings.backend = "paradnn:" + filing.device;
    run.settings.network = entry.network;
    run.settings.batch = entry.batch;
    run.settings.execution.numerics.mode = Mode::training;
    run.settings.execution.numerics.dtype =
        platform == ParadnnPlatform::tpu ? DataType::bf16 : DataType::f16;
    run.settings.execution.scheduling.threads = 0;
    run.settings.execution.engine.algorithm = ConvolutionAlgorithm::automatic;
    run.settings.content = {{"recording", filing.content}};
    run.provenance = build_provenance();
    run.provenance["import.file"] = filing.file;
    run.provenance["backend.name"] = "paradnn";
    run.provenance["device.name"] = filing.device;
    StepResult& step = run.steps.emplace_back();
    step.layer = "whole network";
    step.operation = "network";
    step.flops = entry.flops.value_or(counted.flops);
    step.read = counted.read;
    step.written = counted.written;
    if (entry.failure.empty()) {
        const Seconds time{1 / entry.steps_per_second};
        step.time = Samples{.values = {time}};
        run.whole.end_to_end.values = {time};
    } else {
        step.time = Failed{entry.failure};
    }
    return run;
}

Observation observation_of(const ParadnnEntry& entry) {
    Observation run;
    run.origin = Origin::imported;
    describe_network(entry.network, run);
    run.mode = name_of(Mode::training);
    run.batch = entry.batch;
    run.reason = entry.failure;
    run.flops = entry.flops.value_or(Flops{});
    if (entry.failure.empty()) {
        const Seconds time{1 / entry.steps_per_second};
        run.time = {time, time, time};
    }
    return run;
}

}  // namespace strata
