// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "scale/communicator.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace strata {

// When an exchange began and ended, by this host's monotonic clock.
struct ExchangeTimes {
    Seconds begin;
    Seconds end;
};

Seconds monotonic_now();

// Some of the ranks did not come to an exchange; the sentence names them.
class AbsentRanks : public Error {
public:
    AbsentRanks(const std::string& sentence, std::set<int> ranks)
        : Error(sentence), ranks_(std::move(ranks)) {}
    const std::set<int>& ranks() const { return ranks_; }  // empty: nobody knows which

private:
    std::set<int> ranks_;
};

// Whether this rank tells an error that all ranks have: the first one does, or if it is absent the
// others.
bool is_told_by(int rank, const Error& error);

// Does exchanges, one after the other, on a thread of its own, so that this one can compute
// meanwhile. If a rank does not come within the limit, asks all ranks whether they are alive.
class Exchanger {
public:
    using Opener = std::function<std::unique_ptr<Communicator>()>;

    // The opener is called by the thread. Throws what it throws.
    Exchanger(const Opener& open, Seconds limit);
    Exchanger(const Exchanger&) = delete;
    Exchanger& operator=(const Exchanger&) = delete;
    ~Exchanger();

    int rank() const { return rank_; }
    int size() const { return size_; }

    // Begins an exchange once those posted before it are done, and does it so many times. The
    // future throws AbsentRanks if some did not come, and so do those of all later exchanges. The
    // memory must live until then.
    std::future<ExchangeTimes> post(const Exchange& exchange, int repeats = 1);

    // Posts it and waits.
    ExchangeTimes exchange(const Exchange& exchange, int repeats = 1) {
        return post(exchange, repeats).get();
    }

    // Waits for the first so many ranks, and returns when this was over.
    Seconds meet(int ranks, double patience = 1);

private:
    using Task = std::packaged_task<ExchangeTimes()>;

    void work(const Opener& open, std::promise<void>& opened, const std::stop_token& stop);
    ExchangeTimes run(const Exchange& exchange, int repeats);
    void answer();
    AbsentRanks absent_ranks(int ranks);

    Seconds limit_;
    int rank_ = 0;
    int size_ = 1;
    std::unique_ptr<Communicator> communicator_;  // of the thread
    std::exception_ptr failure_;                  // likewise; of the first exchange that failed
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Task> tasks_;
    std::jthread thread_;
};

}  // namespace strata
