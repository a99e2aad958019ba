// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Replaces CUPTI's functions for tracing and for range profiling on a device, and the device whose
// work they see. They answer as their headers say and, if the headers leave something open, in the
// worst way: one of CUPTI's own threads delivers buffers, in no particular order; graph launches
// have wrong correlation ids in every session but the process's first, as before CUDA 13.1 update
// 1. Planning counters on the host remains CUPTI's own.
namespace strata::testing {

// What CUPTI does next, and what was done with it. Each test starts with a new one.
struct ScriptedCupti {
    // A function that fails from now on, by name, and its result.
    std::string fails_at = {};
    int code = 0;
    bool has_other_subscriber = false;
    bool has_right_ids_again = false;   // in later sessions, as since CUDA 13.1 update 1
    std::size_t drops = 0;              // the number of next records for which there is no buffer
    std::size_t records_in_buffer = 4;  // at most
    // The number of the incomplete record in the next buffer that is read; 0: none.
    std::size_t incomplete_record = 0;
    std::size_t passes = 3;  // that counting takes

    std::vector<std::string> calls = {};  // in order, without those for each record or range
    int sessions = 0;
    bool is_subscribed = false;
    int enabled_kinds = 0;
    std::size_t external_ids = 0;  // on the stack of this thread
    // Violations of the headers, and calls of CUPTI while one of our locks was held, so that its
    // other threads waited for it.
    std::vector<std::string> violations = {};
};
ScriptedCupti& scripted_cupti();

// Forgets everything done and planned; subscriptions remain, as in a process.
void restart_scripted_cupti();

// ---- the device's work

// A kernel is launched by a separate call.
void launch_kernel(const std::string& name);

// A recorded graph, whose nodes CUPTI knows by numbers.
class ScriptedGraph {
public:
    // Captures a node in the current range.
    void capture(const std::string& kernel);
    // Copies the nodes to those that will run, as instantiating does.
    void instantiate();
    void launch() const;

private:
    struct Node {
        std::uint64_t id = 0;
        std::string kernel = {};
    };
    std::vector<Node> nodes_;
};

}  // namespace strata::testing
