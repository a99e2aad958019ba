// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/generate/generator.h"
#include "op/problem.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Replaces the piece that begins with NAME= by NAME=VALUE, or appends that.
std::string with_piece(std::string_view pieces, char separator, const std::string& name,
                       std::int64_t value) {
    const std::string piece = fmt::format("{}={}", name, value);
    std::vector<std::string> parts;
    bool found = false;
    for (const std::string_view part : split(pieces, separator)) {
        const bool same = part.starts_with(name + "=");
        found = found || same;
        if (same || !part.empty()) {
            parts.push_back(same ? piece : std::string(part));
        }
    }
    if (!found) {
        parts.push_back(piece);
    }
    return join(parts, std::string(1, separator));
}

// "convolution(8x3x9x9) out_channels=4": attributes follow the operands.
std::string vary_operator(const std::string& network, const std::string& name, std::int64_t value) {
    const auto end = network.find(')');
    const std::string_view attributes = std::string_view(network).substr(end + 1);
    return network.substr(0, end + 1) + " " + with_piece(attributes, ' ', name, value);
}

// "lstm:hidden=64,layers=2": parameters follow the colon.
std::string vary_generator(const std::string& network, const std::string& name,
                           std::int64_t value) {
    const auto colon = network.find(':');
    const std::string_view parameters =
        colon == std::string::npos ? "" : std::string_view(network).substr(colon + 1);
    return network.substr(0, colon) + ":" + with_piece(parameters, ',', name, value);
}

// "fc:n32c9216k4096": the short form of an operator looks like a generator.
bool is_short(const std::string& network) {
    return is_short_problem(network) && !is_generator(network);
}

[[noreturn]] void refuse(const NetworkRequest& request, const std::string& name) {
    throw Error(fmt::format("{} has no parameter '{}' to vary; its batch can be varied: --vary "
                            "batch=1..64",
                            printable(request.network), printable(name)),
                ExitCode::usage);
}

}  // namespace

NetworkRequest with_parameter(NetworkRequest request, const std::string& name, std::int64_t value) {
    const std::string& network = request.network;
    if (name == "batch") {
        request.batch = value;
    } else if (network.ends_with(".onnx")) {
        request.dims[name] = value;
    } else if (network.ends_with(".dnnmark") || network.ends_with(".dnntemplate")) {
        request.variables[name] = std::to_string(value);
    } else if (network.find(')') != std::string::npos) {
        request.network = vary_operator(network, name, value);
    } else if (is_zoo_name(network) || network.ends_with(".graph") || is_short(network)) {
        refuse(request, name);
    } else {
        request.network = vary_generator(network, name, value);
    }
    return request;
}

}  // namespace strata
