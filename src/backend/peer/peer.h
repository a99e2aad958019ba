// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "base/file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// How a peer receives the network.
enum class PeerInput { graph, onnx };

// The implementation of the protocol: an embedded Python adapter, adapters/NAME_adapter.py with
// protocol.py beside it; or a program beside strata's modules, strata_NAME.
enum class PeerAdapter { python, program };

// A framework that strata knows.
struct Peer {
    std::string_view name;       // of the backend: "pytorch"
    std::string_view framework;  // as its makers write it: "PyTorch"
    PeerInput input = PeerInput::graph;
    PeerAdapter adapter = PeerAdapter::python;
};

// THE list of peers.
std::span<const Peer> peers();

// The files of adapters/, embedded in the program.
std::span<const EmbeddedFile> adapter_files();

// The limits of a peer's processes. The kernel enforces the memory limit.
struct PeerLimits {
    Seconds start{120};     // until the framework is loaded
    Seconds prepare{1800};  // a network, compilation included
    std::optional<Bytes> memory = {};
};

// The interpreter that $STRATA_PEERS_PYTHON names, else that of the environment made by
// scripts/peers; empty if there is none.
std::optional<std::filesystem::path> peers_python();

// The peer of that name. Starts it, to learn whether its framework is installed. Throws Error with
// exit code machine_cannot, and one sentence with the fix, if it is not. Requires: it is in the
// list.
std::unique_ptr<Backend> make_peer_backend(std::string_view name);

// The same with a given interpreter and adapter; an empty adapter is the peer's own. If the peer is
// a program, `interpreter` is that program.
std::unique_ptr<Backend> make_peer_backend(const Peer& peer,
                                           const std::filesystem::path& interpreter,
                                           const std::filesystem::path& adapter,
                                           const PeerLimits& limits);

}  // namespace strata
