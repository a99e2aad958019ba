// SPDX-License-Identifier: MIT
#include "predict/streaming.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// How many tensors an operator reads and writes; two unless stated otherwise. (A norm may first add
// the residual and also write the sum; cross entropy reads its logits, and its gradient writes as
// many; Adam reads gradients, and reads and writes weights and two moments.)
struct Streams {
    std::string_view op;
    double tensors;
    bool reduces_rows = false;
};
constexpr std::array streams = {Streams{"add", 3},
                                Streams{"mul", 3},
                                Streams{"div", 3},
                                Streams{"pow", 3},
                                Streams{"act_mul", 3, true},
                                Streams{"act_mul_backward", 5},
                                Streams{"rope", 2, true},
                                Streams{"embedding", 2, true},
                                Streams{"adam", 7},
                                Streams{"softmax", 2, true},
                                Streams{"softmax_backward", 3, true},
                                Streams{"ln", 2, true},
                                Streams{"ln_backward", 3, true},
                                Streams{"rms_norm", 2, true},
                                Streams{"rms_norm_backward", 3, true},
                                Streams{"add_rms_norm", 4, true},
                                Streams{"cross_entropy", 1, true},
                                Streams{"cross_entropy_backward", 2, true}};

Streams streams_of(std::string_view op) {
    const auto* const found = std::ranges::find(streams, op, &Streams::op);
    return found == streams.end() ? Streams{op, 2} : *found;
}

constexpr double rows_together = 8;  // per processor
constexpr double overlap = 4;
constexpr double edge_of_residence = 0.05;  // of the resident bytes
constexpr double far = 30;                  // ln(1 + exp(x)) is x from here on
constexpr std::int64_t longest_row_of_a_warp = 1024;

}  // namespace

Bytes StreamingProblem::traffic() const {
    return Bytes{streams_of(op).tensors * static_cast<double>(rows) * static_cast<double>(columns) *
                 element_bytes};
}

bool StreamingProblem::reduces_rows() const {
    return streams_of(op).reduces_rows;
}

std::string StreamingProblem::kernel() const {
    std::string name = op;
    if (op == "softmax") {
        name = columns <= longest_row_of_a_warp ? "softmax by warps" : "softmax by blocks";
    } else if (op == "ln") {
        name = columns <= longest_row_of_a_warp ? "ln by short rows" : "ln by long rows";
    }
    return element_bytes <= 2 ? name + std::string(in_16_bits) : name;
}

StreamingRates prior_streaming_rates(const DeviceDescription& device) {
    constexpr double usual_residence = 0.85;  // the share of the cache in which tensors stay
    constexpr double usual_cached = 0.3;
    StreamingRates rates;
    if (device.l2) {
        rates.resident = device.l2->value * usual_residence;
        rates.cached = usual_cached;
    }
    return rates;
}

StreamingPrediction predict_streaming(const StreamingProblem& problem,
                                      const DeviceDescription& device,
                                      const StreamingRates& rates) {
    return predict_streaming({.traffic = problem.traffic(),
                              .rows = problem.reduces_rows() ? problem.rows : 0,
                              .columns = problem.columns},
                             device, rates);
}

StreamingPrediction predict_streaming(const Stream& stream, const DeviceDescription& device,
                                      const StreamingRates& rates) {
    check(device.processors && device.dram_bandwidth, "a device has processors and a memory");
    StreamingPrediction found;
    found.launch = rates.launch;
    const double beyond = (stream.traffic - rates.hidden) / rates.edge;
    const Bytes seen = rates.edge * (beyond > far ? beyond : std::log1p(std::exp(beyond)));
    const double above = (stream.traffic / rates.resident - 1) / edge_of_residence;
    const double from_memory = 1 / (1 + std::exp(-std::min(above, far)));
    found.dram = seen * (rates.cached + (1 - rates.cached) * from_memory) /
                 (device.dram_bandwidth->value * rates.efficiency);
    if (stream.rows > 0) {
        const double waves = std::ceil(static_cast<double>(stream.rows) /
                                       (rows_together * device.processors->value.value));
        found.latency = waves * (rates.row + static_cast<double>(stream.columns) * rates.element);
    }
    const Seconds longest = std::max(found.dram, found.latency);
    found.time = found.launch;
    if (longest > Seconds{}) {
        found.time += longest * std::pow(std::pow(found.dram / longest, overlap) +
                                             std::pow(found.latency / longest, overlap),
                                         1 / overlap);
    }
    return found;
}

}  // namespace strata
