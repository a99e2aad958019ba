// SPDX-License-Identifier: MIT
#pragma once

#include "networks/network.h"

#include <cstdint>
#include <string>

namespace strata {

// The request with another value of one parameter: "batch" of any network; a generator's own, which
// takes its place in the text or is added to it ("lstm:hidden=64" -> "lstm:hidden=128"); an
// attribute of an operator in one line ("fully_connected(8x64) out_features=10"); a symbolic
// dimension of an .onnx file; a variable of a DNNMark file. Throws Error with exit code usage where
// this kind of network has no parameters but its batch. Whether it has one of that name is
// load_network's to say.
NetworkRequest with_parameter(NetworkRequest request, const std::string& name, std::int64_t value);

}  // namespace strata
