// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

namespace strata {

// The peers' side of compare.py: after "ready", each line "N" on standard input requests N training
// steps, answered by one line of N wall times in seconds. Between requests the process sleeps, so
// two peers can be measured in turn on the same processors.
inline void answer_requests(const std::function<void()>& step) {
    using clock = std::chrono::steady_clock;
    std::puts("ready");
    std::fflush(stdout);
    for (int count = 0; std::cin >> count;) {
        for (int i = 0; i < count; ++i) {
            const auto begin = clock::now();
            step();
            const std::chrono::duration<double> elapsed = clock::now() - begin;
            std::printf("%.9f ", elapsed.count());
        }
        std::puts("");
        std::fflush(stdout);
    }
}

}  // namespace strata
