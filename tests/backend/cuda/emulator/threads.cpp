// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulator/device.h"
#include "tests/backend/cuda/emulator/emulator.h"
#include "tests/backend/cuda/emulator/order.h"

#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace strata::testing {

Order order;

namespace {

constexpr unsigned warp_size = 32;
constexpr std::size_t stack_bytes = std::size_t{128} << 10U;

// The state of a suspended stack. GCC's builtins save only what must be saved, so that a switch
// takes 20 ns instead of swapcontext's 360 ns. No interprocedural optimisation may look into these
// two.
using Point = void* [5];
[[gnu::noipa, noreturn]] void jump(void** to) {
    __builtin_longjmp(to, 1);
}
[[gnu::noipa]] void switch_stack(void** from, void** to) {
    if (__builtin_setjmp(from) == 0) {
        jump(to);
    }
}
[[gnu::noipa]] void enter_stack(void** from, const ucontext_t& to) {
    if (__builtin_setjmp(from) == 0) {
        setcontext(&to);
    }
}

// A stack on which threads run one after another as long as none waits.
struct Fibre {
    std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    ucontext_t beginning = {};
    Point left = {};
    bool is_begun = false;
};

enum class Wait { none, block, warp, exchange, vote };

struct Thread {
    Fibre* fibre = nullptr;
    bool is_done = false;
    Wait wait = Wait::none;
    std::source_location at = {};
    unsigned mask = 0;
    std::uint64_t value = 0;  // the value given; after the wait, the value received
    unsigned source = 0;
};

bool same_place(const std::source_location& a, const std::source_location& b) {
    return a.line() == b.line() && a.column() == b.column() &&
           std::strcmp(a.file_name(), b.file_name()) == 0;
}

std::string name_of(const std::source_location& at) {
    const std::string_view path = at.file_name();
    return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), at.line());
}

uint3 index_within(std::uint32_t number, const dim3& extents) {
    return {number % extents.x, number / extents.x % extents.y, number / extents.x / extents.y};
}

std::string text_of(const uint3& index) {
    return fmt::format("({},{},{})", index.x, index.y, index.z);
}

class Device {
public:
    void name_kernel(std::string name) { kernel_ = std::move(name); }
    void run(const EmulatedLaunch& launch);
    void run_threads(Fibre& fibre);

    const EmulatedLaunch& launch() const { return launch_; }
    std::string name_of_thread(std::uint32_t number) const;
    void wait_for_block(const std::source_location& at);
    std::uint64_t wait_for_lanes(Wait wait, unsigned mask, std::uint64_t value, unsigned source,
                                 const std::source_location& at);
    [[noreturn]] void fail(std::string what);

private:
    void check_launch() const;
    void run_block(std::uint32_t number);
    void resume(Thread* thread);
    void begin(std::uint32_t number);
    void suspend(Thread& thread);
    void release(std::uint32_t number);
    bool all_lanes_wait(std::uint32_t first, const Thread& thread) const;
    void give_values(std::uint32_t first, unsigned mask);
    std::string whereabouts(const Thread& thread) const;
    std::string missed_by() const;
    [[noreturn]] void stop(std::string sentence);

    std::string kernel_ = "a kernel";
    EmulatedLaunch launch_;
    std::vector<std::unique_ptr<Fibre>> fibres_;
    std::vector<Fibre*> idle_;
    Point scheduler_ = {};
    std::vector<Thread> threads_;  // of the block
    std::vector<std::uint32_t> warp_times_;
    std::deque<std::uint32_t> ready_;
    std::uint32_t fresh_ = 0;  // the first thread that has not begun
    std::uint32_t arrived_ = 0;
    std::optional<std::string> fault_;
};

Device device;

void enter_fibre(unsigned low, unsigned high) {
    const auto address = std::uintptr_t{high} << 32U | low;
    device.run_threads(*reinterpret_cast<Fibre*>(address));
}

std::string Device::name_of_thread(std::uint32_t number) const {
    const auto size = static_cast<std::uint32_t>(threads_.size());
    return fmt::format("block {}, thread {}", text_of(index_within(number / size, launch_.blocks)),
                       text_of(index_within(number % size, launch_.threads)));
}

// Unwinding cannot cross from one stack to another: the stacks are abandoned instead.
void Device::stop(std::string sentence) {
    fibres_.clear();
    idle_.clear();
    ready_.clear();
    order.is_in_kernel = false;
    throw KernelFault(kernel_ + ": " + std::move(sentence));
}

void Device::fail(std::string what) {
    order.is_in_kernel = false;
    fault_ = name_of_thread(order.thread) + " " + std::move(what);
    jump(scheduler_);
}

void Device::check_launch() const {
    const dim3& blocks = launch_.blocks;
    const dim3& threads = launch_.threads;
    const bool blocks_fit = blocks.x >= 1 && blocks.x <= 0x7fffffffU && blocks.y >= 1 &&
                            blocks.y <= 65535 && blocks.z >= 1 && blocks.z <= 65535;
    const bool threads_fit = threads.x >= 1 && threads.x <= 1024 && threads.y >= 1 &&
                             threads.y <= 1024 && threads.z >= 1 && threads.z <= 64 &&
                             threads.x * threads.y * threads.z <= 1024;
    if (!blocks_fit || !threads_fit) {
        throw KernelFault(fmt::format("{}: no GPU launches ({},{},{}) blocks of ({},{},{}) threads",
                                      kernel_, blocks.x, blocks.y, blocks.z, threads.x, threads.y,
                                      threads.z));
    }
}

void Device::run(const EmulatedLaunch& launch) {
    launch_ = launch;
    check_launch();
    const dim3& t = launch.threads;
    order.launch = ++order.time;
    order.block_size = t.x * t.y * t.z;
    const std::uint64_t blocks = std::uint64_t{launch.blocks.x} * launch.blocks.y * launch.blocks.z;
    if (blocks * order.block_size >> 32U != 0) {
        throw KernelFault(kernel_ + ": the emulator counts threads in 32 bits");
    }
    for (std::uint32_t block = 0; block < blocks; ++block) {
        run_block(block);
    }
}

void Device::run_block(std::uint32_t number) {
    order.block = order.barrier = ++order.time;
    order.thread = number * order.block_size;
    order.in_block = 0;
    threads_.assign(order.block_size, {});
    warp_times_.assign((order.block_size + warp_size - 1) / warp_size, order.time);
    fresh_ = 0;
    arrived_ = 0;
    while (!ready_.empty() || fresh_ < order.block_size) {
        if (ready_.empty()) {
            resume(nullptr);
        } else {
            const std::uint32_t next = ready_.front();
            ready_.pop_front();
            begin(next);
            resume(&threads_[next]);
        }
        if (fault_) {
            std::string sentence = std::move(*fault_);
            fault_.reset();
            stop(std::move(sentence));
        }
    }
    if (!std::ranges::all_of(threads_, &Thread::is_done)) {
        stop(missed_by());
    }
}

// Makes it the running thread.
void Device::begin(std::uint32_t number) {
    order.thread = order.thread - order.in_block + number;
    order.in_block = number;
    order.warp = warp_times_[number / warp_size];
}

// A waiting thread continues where it was; nullptr: threads that have not begun run.
void Device::resume(Thread* thread) {
    if (thread == nullptr && idle_.empty()) {
        fibres_.push_back(std::make_unique<Fibre>());
        idle_.push_back(fibres_.back().get());
    }
    Fibre& fibre = thread != nullptr ? *thread->fibre : *idle_.back();
    if (thread == nullptr) {
        idle_.pop_back();
    }
    order.stack_begin = fibre.stack.get();
    order.stack_end = order.stack_begin + stack_bytes;
    if (fibre.is_begun) {
        order.is_in_kernel = thread != nullptr;
        switch_stack(scheduler_, fibre.left);
    } else {
        fibre.is_begun = true;
        getcontext(&fibre.beginning);
        fibre.beginning.uc_stack.ss_sp = fibre.stack.get();
        fibre.beginning.uc_stack.ss_size = stack_bytes;
        const auto address = reinterpret_cast<std::uintptr_t>(&fibre);
        makecontext(&fibre.beginning, reinterpret_cast<void (*)()>(&enter_fibre), 2,
                    static_cast<unsigned>(address), static_cast<unsigned>(address >> 32U));
        enter_stack(scheduler_, fibre.beginning);
    }
    order.is_in_kernel = false;
}

void Device::run_threads(Fibre& fibre) {
    while (true) {
        while (fresh_ < threads_.size()) {
            const std::uint32_t number = fresh_++;
            threads_[number].fibre = &fibre;
            begin(number);
            order.is_in_kernel = true;
            launch_.call(launch_.kernel, launch_.arguments);
            order.is_in_kernel = false;
            // The fibre may have waited: another thread may run on it since.
            threads_[number].is_done = true;
        }
        idle_.push_back(&fibre);
        switch_stack(fibre.left, scheduler_);
    }
}

void Device::suspend(Thread& thread) {
    switch_stack(thread.fibre->left, scheduler_);
}

void Device::release(std::uint32_t number) {
    threads_[number].wait = Wait::none;
    if (number != order.in_block) {
        ready_.push_back(number);
    }
}

void Device::wait_for_block(const std::source_location& at) {
    Thread& thread = threads_[order.in_block];
    thread.wait = Wait::block;
    thread.at = at;
    if (++arrived_ < threads_.size()) {
        suspend(thread);
        return;
    }
    const auto elsewhere = std::ranges::find_if(
        threads_, [&](const Thread& other) { return !same_place(other.at, at); });
    if (elsewhere != threads_.end()) {
        fail(fmt::format("waits for the block at {}, but thread {} waits for it at {}", name_of(at),
                         elsewhere - threads_.begin(), name_of(elsewhere->at)));
    }
    arrived_ = 0;
    order.barrier = ++order.time;
    std::ranges::fill(warp_times_, order.time);
    for (std::uint32_t number = 0; number < threads_.size(); ++number) {
        release(number);
    }
}

// Fails if some lane cannot come.
bool Device::all_lanes_wait(std::uint32_t first, const Thread& thread) const {
    bool all = true;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((thread.mask >> lane & 1U) == 0) {
            continue;
        }
        const bool exists = first + lane < threads_.size();
        if (!exists || threads_[first + lane].is_done) {
            strata::testing::fail(fmt::format("waits at {} for lane {}, which {}",
                                              name_of(thread.at), lane,
                                              exists ? "has left the kernel" : "does not exist"));
        }
        const Thread& other = threads_[first + lane];
        all = all && other.wait == thread.wait && other.mask == thread.mask &&
              same_place(other.at, thread.at);
    }
    return all;
}

void Device::give_values(std::uint32_t first, unsigned mask) {
    std::uint64_t values[warp_size] = {};
    std::uint64_t votes = 0;
    for (unsigned lane = 0; lane < warp_size && first + lane < threads_.size(); ++lane) {
        values[lane] = threads_[first + lane].value;
        votes |= (mask >> lane & values[lane] & 1U) << lane;
    }
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            Thread& thread = threads_[first + lane];
            thread.value = thread.wait == Wait::vote ? votes : values[thread.source];
            release(first + lane);
        }
    }
}

std::uint64_t Device::wait_for_lanes(Wait wait, unsigned mask, std::uint64_t value, unsigned source,
                                     const std::source_location& at) {
    Thread& thread = threads_[order.in_block];
    const std::uint32_t first = order.in_block / warp_size * warp_size;
    if ((mask >> (order.in_block % warp_size) & 1U) == 0) {
        fail(fmt::format("is not in its own mask {:#x} at {}", mask, name_of(at)));
    }
    if (wait == Wait::exchange && (mask >> source & 1U) == 0) {
        fail(fmt::format("reads lane {}, which is not in its mask {:#x}, at {}", source, mask,
                         name_of(at)));
    }
    thread.wait = wait;
    thread.at = at;
    thread.mask = mask;
    thread.value = value;
    thread.source = source;
    if (!all_lanes_wait(first, thread)) {
        suspend(thread);
        return thread.value;
    }
    if (wait == Wait::warp) {
        order.warp = warp_times_[first / warp_size] = ++order.time;
    }
    give_values(first, mask);
    return thread.value;
}

std::string Device::whereabouts(const Thread& thread) const {
    return thread.is_done ? "has left the kernel"
           : thread.wait == Wait::block
               ? "waits for the block at " + name_of(thread.at)
               : fmt::format("waits for the lanes {:#x} at {}", thread.mask, name_of(thread.at));
}

// No thread can run, but not all are done. Names a waiting thread, and one that it waits for but
// that is elsewhere.
std::string Device::missed_by() const {
    const auto waits = [](const Thread& thread) { return !thread.is_done; };
    const auto waiting = std::ranges::find_if(threads_, waits);
    const bool of_block = waiting->wait == Wait::block;
    const auto is_missing = [&](const Thread& other) {
        const auto number = &other - threads_.data();
        const auto lane = static_cast<std::uint32_t>(number) % warp_size;
        const bool is_awaited =
            of_block || ((waiting - threads_.begin()) / warp_size == number / warp_size &&
                         (waiting->mask >> lane & 1U) != 0);
        return is_awaited && (other.is_done || other.wait != waiting->wait ||
                              other.mask != waiting->mask || !same_place(other.at, waiting->at));
    };
    const auto missing = std::ranges::find_if(threads_, is_missing);
    const std::uint32_t first = order.thread - order.in_block;
    const auto name = [&](auto thread) {
        return name_of_thread(first + static_cast<std::uint32_t>(thread - threads_.begin()));
    };
    return fmt::format(
        "{} {} with {}, which {}", name(waiting), whereabouts(*waiting),
        missing == threads_.end() ? "nobody" : name(missing),
        missing == threads_.end() ? "is a defect of the emulator" : whereabouts(*missing));
}

}  // namespace

std::string name_of_thread(std::uint32_t thread) {
    return device.name_of_thread(thread);
}
void fail(std::string what) {
    device.fail(std::move(what));
}

uint3 index_of_thread() {
    return index_within(order.in_block, device.launch().threads);
}
uint3 index_of_block() {
    return index_within(order.thread / order.block_size, device.launch().blocks);
}
uint3 threads_of_block() {
    return device.launch().threads;
}
uint3 blocks_of_grid() {
    return device.launch().blocks;
}
unsigned lane_of_thread() {
    return order.in_block % warp_size;
}

void wait_for_block(const std::source_location& at) {
    order.is_in_kernel = false;
    device.wait_for_block(at);
    order.is_in_kernel = true;
}
void wait_for_warp(unsigned mask, const std::source_location& at) {
    order.is_in_kernel = false;
    device.wait_for_lanes(Wait::warp, mask, 0, 0, at);
    order.is_in_kernel = true;
}
std::uint64_t exchange(unsigned mask, std::uint64_t value, unsigned source,
                       const std::source_location& at) {
    order.is_in_kernel = false;
    value = device.wait_for_lanes(Wait::exchange, mask, value, source, at);
    order.is_in_kernel = true;
    return value;
}
unsigned vote(unsigned mask, bool value, const std::source_location& at) {
    order.is_in_kernel = false;
    const std::uint64_t votes = device.wait_for_lanes(Wait::vote, mask, value ? 1 : 0, 0, at);
    order.is_in_kernel = true;
    return static_cast<unsigned>(votes);
}

void launch_emulated(const EmulatedLaunch& launch) {
    device.run(launch);
}

void name_kernel(std::string name) {
    device.name_kernel(std::move(name));
}

}  // namespace strata::testing
