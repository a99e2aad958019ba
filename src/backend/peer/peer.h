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
#include <vector>

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
    std::string_view package = name;  // as Python imports it: "torch"
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

// The options with which a framework computes on a GPU, if its adapter can: device=cuda.
PeerOptions options_for_gpu();
bool ask_for_gpu(const PeerOptions& options);

// The interpreter that $STRATA_PEERS_PYTHON names, else that of the environment made by
// scripts/peers; empty if there is none.
std::optional<std::filesystem::path> peers_python();

// Without such an interpreter, frameworks are taken from python3 in $PATH.
struct PythonInPath {
    std::filesystem::path program;
    std::vector<std::string> peers;  // whose packages it can find; it imports none
};

// Empty if there is no python3, or peers_python names another.
std::optional<PythonInPath> peers_python_in_path();

// The peer of that name. Starts it with these options, to learn whether its framework is installed
// and what it computes on. Throws Error with exit code machine_cannot, and one sentence with the
// fix, if it cannot. Requires: it is in the list.
std::unique_ptr<Backend> make_peer_backend(std::string_view name, const PeerOptions& options = {});

// The same with a given interpreter and adapter; an empty adapter is the peer's own. If the peer is
// a program, `interpreter` is that program.
std::unique_ptr<Backend> make_peer_backend(const Peer& peer,
                                           const std::filesystem::path& interpreter,
                                           const std::filesystem::path& adapter,
                                           const PeerLimits& limits,
                                           const PeerOptions& options = {});

}  // namespace strata
