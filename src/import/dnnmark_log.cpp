// SPDX-License-Identifier: MIT
// The log of DNNMark's benchmarks (glog's lines on stderr): the layers as they are read from the
// configuration, and at the end a time for each call of a layer, named by what ran and the layer's
// number: "ConvBwdFilter_0: 1.234ms" (core/include/timer.h, dnn_utility.h).
#include "import/formats.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace strata {

namespace {

struct DnnmarkCall {
    std::string_view name;       // in the log, before the layer's number
    std::string_view operation;  // as type_of_operator knows it
    Pass pass;
    bool gives_both_gradients = false;
};

// THE list, of core/include/layers.
constexpr std::array dnnmark_calls = {
    DnnmarkCall{"ConvFwd", "convolution", Pass::forward},
    DnnmarkCall{"ConvBwdData", "convolution", Pass::backward_data},
    DnnmarkCall{"ConvBwdFilter", "convolution", Pass::backward_weights},
    DnnmarkCall{"FcFwd", "linear", Pass::forward},
    DnnmarkCall{"FcBwdData", "linear", Pass::backward_data},
    DnnmarkCall{"FcBwdFilter", "linear", Pass::backward_weights},
    DnnmarkCall{"PoolFwd", "pooling", Pass::forward},
    DnnmarkCall{"PoolBwd", "pooling", Pass::backward_data},
    DnnmarkCall{"LrnFwd", "lrn", Pass::forward},
    DnnmarkCall{"LrnBwd", "lrn", Pass::backward_data},
    DnnmarkCall{"ActFwd", "activation", Pass::forward},
    DnnmarkCall{"ActBwd", "activation", Pass::backward_data},
    DnnmarkCall{"BnFwd", "batch_norm", Pass::forward},
    DnnmarkCall{"BnBwd", "batch_norm", Pass::backward_data, true},
    DnnmarkCall{"SoftmaxFwd", "softmax", Pass::forward},
    DnnmarkCall{"SoftmaxBwd", "softmax", Pass::backward_data},
    DnnmarkCall{"DropoutFwd", "dropout", Pass::forward},
    DnnmarkCall{"DropoutBwd", "dropout", Pass::backward_data},
    DnnmarkCall{"BypassFwd", "bypass", Pass::forward},
    DnnmarkCall{"BypassBwd", "bypass", Pass::backward_data},
};

// "128x3x224x224" of "N: 128 C: 3 H: 224 W: 224".
std::string shape_of_dimensions(std::string_view text) {
    std::vector<std::string> extents;
    for (const std::string_view part : split(text, ' ')) {
        if (const auto extent = parse_integer(part); extent && *extent > 0) {
            extents.emplace_back(part);
        }
    }
    return extents.size() == 4 ? join(extents, "x") : "";
}

class DnnmarkLogReader {
public:
    explicit DnnmarkLogReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "dnnmark";
        recording_.has_starts = false;
        for (std::string line; source_.next_line(line);) {
            take(line);
        }
        recording_.doubts.emplace_back(
            "DNNMark reads the host's clock around each call and waits for the device after it: "
            "its times include the launch and the wait");
        left_out_.add_to(recording_.doubts);
        return std::move(recording_);
    }

private:
    struct LoggedLayer {
        std::string name = {};
        std::string shape = {};  // of what it reads
    };

    // glog writes "I1122 10:11:12.345678  771 timer.h:102] " before the text.
    void take(std::string_view line) {
        const auto bracket = line.find("] ");
        const std::string_view text = trim(bracket == line.npos ? line : line.substr(bracket + 2));
        constexpr std::string_view named = "Layer name: ", dimensions = "Bottom dimension: ";
        if (text.starts_with("Add [")) {
            ++added_;
        } else if (text.starts_with(named) && added_ > 0) {
            layers_[added_ - 1].name = text.substr(named.size());
        } else if (text.starts_with(dimensions)) {
            layers_[set_up_++].shape = shape_of_dimensions(text.substr(dimensions.size()));
        } else if (text.ends_with("ms")) {
            take_time(text.substr(0, text.size() - 2));
        }
    }

    void take_time(std::string_view text) {
        const auto colon = text.find(": ");
        const auto bar = text.substr(0, colon).rfind('_');
        if (colon == text.npos || bar == text.npos) {
            return;
        }
        const auto call = std::ranges::find(dnnmark_calls, text.substr(0, bar), &DnnmarkCall::name);
        const auto number = parse_integer(text.substr(bar + 1, colon - bar - 1));
        if (call == dnnmark_calls.end() || !number || *number < 0) {
            return;
        }
        const auto time = parse_nanoseconds(text.substr(colon + 2), 1e6);
        if (!time || !is_plausible(*time)) {
            ++left_out_.implausible;
            return;
        }
        add(*call, *number, *time);
    }

    void add(const DnnmarkCall& call, std::int64_t number, Nanoseconds time) {
        const auto found = layers_.find(number);
        const LoggedLayer layer = found == layers_.end() ? LoggedLayer{} : found->second;
        const std::string name =
            layer.name.empty() ? fmt::format("{}_{}", call.operation, number) : layer.name;
        TextPool& texts = recording_.texts;
        std::uint32_t& forward = forwards_[number];
        recording_.operators.push_back({.name = texts.id_of(call.operation),
                                        .scope = texts.id_of(name),
                                        .shape = texts.id_of(layer.shape),
                                        .implementation = texts.id_of(call.name),
                                        .pass = call.pass,
                                        .gives_both_gradients = call.gives_both_gradients,
                                        .forward = call.pass == Pass::forward ? 0 : forward,
                                        .start = now_,
                                        .time = time});
        if (call.pass == Pass::forward) {
            forward = static_cast<std::uint32_t>(recording_.operators.size());
        }
        now_ += time;
    }

    ByteSource& source_;
    RecordedProfile recording_ = {};
    LeftOut left_out_ = {};
    std::map<std::int64_t, LoggedLayer> layers_ = {};
    std::int64_t added_ = 0;   // layers read from the configuration so far
    std::int64_t set_up_ = 0;  // layers whose dimensions the log has told so far
    std::map<std::int64_t, std::uint32_t> forwards_ = {};  // by layer: its last forward, plus 1
    Nanoseconds now_ = Nanoseconds(1);
};

}  // namespace

RecordedProfile read_dnnmark_log(ByteSource& source) {
    return DnnmarkLogReader(source).read();
}

}  // namespace strata
