// SPDX-License-Identifier: MIT
// Any lines as what a peer's process answers: to the greeting, to the network, and to each request
// after it.
#include "backend/peer/peer.h"
#include "base/error.h"
#include "graph/builder.h"
#include "tests/support/temporary_directory.h"

#include <filesystem>
#include <vector>

namespace strata {
namespace {

Graph small_network() {
    GraphBuilder builder("net");
    const TensorId x = builder.input("x", {{2, 3}});
    builder.add("fc", FullyConnected{.out_features = 4}, {x});
    return builder.finish();
}

void ask(const std::filesystem::path& answers) {
    static const Graph network = small_network();
    const Execution execution{.scheduling = {.threads = 1, .device_timeout = Seconds{2}}};
    const auto backend =
        make_peer_backend({"fuzz", "fuzz"}, STRATA_ANSWERING_PEER, answers,
                          {.start = Seconds{2}, .prepare = Seconds{2}, .memory = Bytes{1e9}});
    backend->refusal_of(execution);
    const auto executable = backend->prepare(network, execution);
    std::vector<Seconds> times(executable->steps().size());
    executable->run();
    executable->run_timed(times);
    executable->run_step(0);
    executable->time_empty_step();
    executable->read(0, Content::value);
}

}  // namespace
}  // namespace strata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const strata::TemporaryDirectory directory;
    const auto file = directory.write("answers", {reinterpret_cast<const char*>(data), size});
    try {
        strata::ask(file);
    } catch (const strata::Error&) {
    } catch (const strata::StepFailure&) {
    }
    return 0;
}
