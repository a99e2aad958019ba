// SPDX-License-Identifier: MIT
#include "measure/team.h"

#include "base/error.h"
#include "measure/clock.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace strata {
namespace {

struct Stamps {
    Seconds begin;
    Seconds end;
};

// If a processor is offline, the thread stays unbound, which only costs accuracy.
void bind_to(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

// A barrier at which threads wait without sleeping: waking up takes longer than the timed
// work.
class SpinBarrier {
public:
    explicit SpinBarrier(std::size_t threads) : threads_(threads) {}

    void wait() {
        const std::size_t round = arrived_.fetch_add(1) / threads_;
        for (int turns = 0; arrived_.load() / threads_ == round; ++turns) {
            if (turns > patience) {
                std::this_thread::yield();  // more threads than free processors
            }
        }
    }

private:
    static constexpr int patience = 10'000;

    std::size_t threads_;
    std::atomic<std::size_t> arrived_ = 0;
};

Seconds wall_time(std::span<const std::vector<Stamps>> threads, std::size_t round) {
    Stamps wall = threads.front()[round];
    for (const auto& stamps : threads) {
        wall.begin = std::min(wall.begin, stamps[round].begin);
        wall.end = std::max(wall.end, stamps[round].end);
    }
    return wall.end - wall.begin;
}

}  // namespace

std::vector<Seconds> run_rounds(std::span<const int> processors, std::size_t rounds,
                                const std::function<Round(std::size_t thread)>& prepare) {
    check(!processors.empty(), "a team needs a processor");
    const std::size_t all = rounds + 1;
    std::vector<std::vector<Stamps>> stamps(processors.size(), std::vector<Stamps>(all));
    SpinBarrier barrier(processors.size());
    {
        std::vector<std::jthread> threads;
        threads.reserve(processors.size());
        for (std::size_t thread = 0; thread < processors.size(); ++thread) {
            threads.emplace_back([&, thread] {
                bind_to(processors[thread]);
                const Round work = prepare(thread);
                SteadyClock clock;
                for (Stamps& stamp : stamps[thread]) {
                    barrier.wait();
                    stamp.begin = clock.now();
                    work();
                    stamp.end = clock.now();
                }
            });
        }
    }
    std::vector<Seconds> times;
    for (std::size_t round = 1; round < all; ++round) {
        times.push_back(wall_time(stamps, round));
    }
    return times;
}

namespace {

constexpr std::size_t segment_unit = std::size_t{1} << 20;
constexpr std::size_t huge_page = 2 * segment_unit;

}  // namespace

Segments::Segments(std::span<const int> processors, std::size_t count, std::size_t floats)
    : count_(count),
      floats_(floats),
      stride_((count * floats * sizeof(float) + huge_page - 1) / huge_page * huge_page),
      bytes_(stride_ * processors.size()),
      memory_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) {
        throw Error(fmt::format("calibration needs {} MiB of free memory; stop other programs",
                                bytes_ / segment_unit),
                    ExitCode::machine_cannot);
    }
    ::madvise(memory_, bytes_, MADV_HUGEPAGE);
    run_rounds(processors, 0, [this](std::size_t thread) {
        return [this, thread] {
            for (std::size_t segment = 0; segment < count_; ++segment) {
                std::ranges::fill(of(thread, segment), 1.0F);
            }
        };
    });
}

Segments::~Segments() {
    ::munmap(memory_, bytes_);
}

std::span<float> Segments::of(std::size_t thread, std::size_t round) const {
    float* const first = static_cast<float*>(memory_) + thread * stride_ / sizeof(float);
    return {first + round % count_ * floats_, floats_};
}

}  // namespace strata
