// SPDX-License-Identifier: MIT
// The profiles of ONNX Runtime and TensorFlow: Chrome traces whose events name their graph's nodes.
#include "import/chrome_trace.h"
#include "import/formats.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace strata {

namespace {

constexpr std::string_view node_ending = "_kernel_time";
constexpr std::string_view gradient_prefix = "gradient_tape/";

void sort_by_start(RecordedProfile& recording) {
    std::ranges::stable_sort(recording.operators, {}, &RecordedOperator::start);
    std::ranges::sort(recording.iterations);
}

void take_onnxruntime(const ChromeEvent& event, RecordedProfile& recording) {
    const bool is_node = event.category == "Node" && event.name.ends_with(node_ending);
    const bool is_run = event.category == "Session" && event.name == "model_run";
    if (event.phase != "X") {
        return;
    }
    if (event.category == "Session" && (is_run || event.name == "SequentialExecutor::Execute")) {
        recording.ledger.use_as_context(event.duration);
        if (is_run) {
            recording.iterations.emplace_back(*event.start, *event.start + *event.duration);
        }
        return;
    }
    if (!is_node) {
        const auto what = event.name.rfind("_fence_");
        recording.ledger.leave_out(LeftOutReason::unknown_kind,
                                   what != event.name.npos       ? "fences of nodes"
                                   : event.category == "Session" ? event.name
                                                                 : event.category,
                                   event.duration);
        return;
    }
    recording.ledger.use(event.duration);
    TextPool& texts = recording.texts;
    const std::string_view node =
        std::string_view(event.name).substr(0, event.name.size() - node_ending.size());
    const bool is_reorder = event.operation.starts_with("Reorder");  // between layouts
    recording.operators.push_back({.name = texts.id_of(event.operation),
                                   .scope = is_reorder ? 0 : texts.id_of(node),
                                   .shape = texts.id_of(trim(event.inputs)),
                                   .implementation = texts.id_of(event.provider),
                                   .kind = is_reorder ? StepKind::reorder : StepKind::compute,
                                   .stream = static_cast<std::uint32_t>(event.thread),
                                   .start = *event.start,
                                   .time = *event.duration});
}

// The role of a TensorFlow node in a training step, by the names that Keras and the gradient tape
// give nodes.
Pass pass_of_node(std::string_view node, std::string_view type) {
    const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
    if (node.starts_with(gradient_prefix)) {
        const bool is_of_weights = has("BackpropFilter") || has("BiasAddGrad") ||
                                   (has("MatMul") && node.ends_with("/MatMul_1"));
        return is_of_weights ? Pass::backward_weights : Pass::backward_data;
    }
    const bool is_update = (type.starts_with("Assign") && type.ends_with("VariableOp")) ||
                           type.starts_with("ResourceApply");
    return is_update ? Pass::update : Pass::forward;
}

// "gradient_tape/sequential/conv1/convolution/Conv2DBackpropFilter" belongs to
// "sequential/conv1/...".
std::string_view scope_of_node(std::string_view node) {
    if (node.starts_with(gradient_prefix)) {
        node.remove_prefix(gradient_prefix.size());
    }
    const auto slash = node.rfind('/');
    return slash == node.npos ? std::string_view() : node.substr(0, slash);
}

// On the host an event has the node's type as its name and its path in `long_name` before a colon;
// on a device `tf_op` has both.
class TensorFlowReader {
public:
    explicit TensorFlowReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "tensorflow";
        read_chrome_trace(source_, recording_, [this](const ChromeEvent& event) { take(event); });
        leave_out_host();
        shorten_scopes();
        for (const auto& [group, period] : steps_) {
            recording_.iterations.push_back(period);
        }
        sort_by_start(recording_);
        return std::move(recording_);
    }

private:
    void take(const ChromeEvent& event) {
        if (event.phase == "M" && event.name == "process_name" &&
            event.meta_name.starts_with("/device:")) {
            device_processes_.insert(event.process);
        }
        const auto colon = event.operation.rfind(':');
        if (event.phase != "X") {
            return;
        }
        if (colon == std::string::npos) {
            recording_.ledger.leave_out(LeftOutReason::unknown_kind, "not a node of the graph",
                                        event.duration);
            return;
        }
        add(event, std::string_view(event.operation).substr(0, colon),
            std::string_view(event.operation).substr(colon + 1));
    }

    void add(const ChromeEvent& event, std::string_view node, std::string_view type) {
        TextPool& texts = recording_.texts;
        const auto stream = static_cast<std::uint32_t>(
            streams_.emplace(std::pair(event.process, event.thread), streams_.size())
                .first->second);
        if (device_processes_.contains(event.process)) {
            device_streams_.insert(stream);
        }
        const std::string_view kernel = event.name == type ? std::string_view() : event.name;
        recording_.operators.push_back({.name = texts.id_of(type),
                                        .scope = texts.id_of(scope_of_node(node)),
                                        .implementation = texts.id_of(kernel),
                                        .pass = pass_of_node(node, type),
                                        .stream = stream,
                                        .start = *event.start,
                                        .time = *event.duration});
        if (event.group >= 0) {
            const Nanoseconds end = *event.start + *event.duration;
            const auto [found, is_new] =
                steps_.emplace(event.group, MarkedIteration(*event.start, end));
            found->second.first = std::min(found->second.first, *event.start);
            found->second.second = std::max(found->second.second, end);
        }
    }

    // If a device worked, its times count.
    void leave_out_host() {
        std::erase_if(recording_.operators, [&](const RecordedOperator& one) {
            const bool is_used = device_processes_.empty() || device_streams_.contains(one.stream);
            if (is_used) {
                recording_.ledger.use(one.time);
            } else {
                recording_.ledger.leave_out(LeftOutReason::host_alone, recording_.texts[one.name],
                                            one.time);
            }
            return !is_used;
        });
    }

    // A layer's scope is that of its own nodes: deeper names, such as a variable that it reads or
    // its gradient, are part of it.
    void shorten_scopes() {
        std::set<std::string_view> layers;
        for (const RecordedOperator& one : recording_.operators) {
            const std::string_view type = recording_.texts[one.name];
            if (one.pass == Pass::forward && type != "ReadVariableOp" && type != "Identity") {
                layers.insert(recording_.texts[one.scope]);
            }
        }
        layers.erase("");
        for (RecordedOperator& one : recording_.operators) {
            const std::string_view scope = recording_.texts[one.scope];
            for (auto slash = scope.find('/'); slash != scope.npos;
                 slash = scope.find('/', slash + 1)) {
                if (layers.contains(scope.substr(0, slash))) {
                    one.scope = recording_.texts.id_of(std::string(scope.substr(0, slash)));
                    break;
                }
            }
        }
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    std::set<std::int64_t> device_processes_ = {};
    std::set<std::uint32_t> device_streams_ = {};
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> streams_ = {};
    std::map<std::int64_t, MarkedIteration> steps_ = {};
};

}  // namespace

RecordedProfile read_onnxruntime(ByteSource& source) {
    RecordedProfile recording;
    recording.tool = "onnxruntime";
    read_chrome_trace(source, recording,
                      [&](const ChromeEvent& event) { take_onnxruntime(event, recording); });
    sort_by_start(recording);
    return recording;
}

RecordedProfile read_tensorflow(ByteSource& source) {
    return TensorFlowReader(source).read();
}

}  // namespace strata
