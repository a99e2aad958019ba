// SPDX-License-Identifier: MIT
#pragma once

#include "networks/network.h"

#include <cstdint>
#include <string>

namespace strata {

// The request with another value of one parameter: "batch" for any network; a generator's own
// parameter, which is replaced in the text or added to it ("lstm:hidden=64" -> "lstm:hidden=128");
// an attribute of an operator in one line ("fully_connected(8x64) out_features=10"); a symbolic
// dimension of an .onnx file; a variable of a DNNMark file. Throws Error with exit code usage if
// this kind of network has no parameter but its batch. load_network checks whether the name exists.
NetworkRequest with_parameter(NetworkRequest request, const std::string& name, std::int64_t value);

}  // namespace strata
