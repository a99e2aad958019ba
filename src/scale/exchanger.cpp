// SPDX-License-Identifier: MIT
#include "scale/exchanger.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

// The kinds of messages, apart from those of a shared sweep.
constexpr int asks_for_life = 100;
constexpr int is_alive = 101;
constexpr int is_waiting = 102;

// A thread without work looks for questions so often.
constexpr std::chrono::milliseconds between_looks{50};
constexpr Seconds for_answers{2};

}  // namespace

Seconds monotonic_now() {
    return {
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

bool is_told_by(int rank, const Error& error) {
    const auto* absent = dynamic_cast<const AbsentRanks*>(&error);
    return rank == 0 || (absent != nullptr && absent->ranks().contains(0));
}

Exchanger::Exchanger(const Opener& open, Seconds limit) : limit_(limit) {
    std::promise<void> opened;
    auto done = opened.get_future();
    thread_ = std::jthread(
        [this, &open, &opened](const std::stop_token& stop) { work(open, opened, stop); });
    done.get();
}

Exchanger::~Exchanger() {
    thread_.request_stop();
    changed_.notify_all();
}

void Exchanger::work(const Opener& open, std::promise<void>& opened, const std::stop_token& stop) {
    try {
        communicator_ = open();
        rank_ = communicator_->rank();
        size_ = communicator_->size();
        opened.set_value();
    } catch (...) {
        opened.set_exception(std::current_exception());
        return;
    }
    while (true) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, stop, between_looks, [&] { return !tasks_.empty(); });
            if (!tasks_.empty()) {
                task = std::move(tasks_.front());
                tasks_.pop_front();
            } else if (stop.stop_requested()) {
                break;
            }
        }
        if (task.valid()) {
            task();
        } else {
            answer();
        }
    }
    communicator_.reset();
}

std::future<ExchangeTimes> Exchanger::post(const Exchange& exchange, int repeats) {
    Task task([this, exchange, repeats] { return run(exchange, repeats); });
    auto result = task.get_future();
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
    return result;
}

Seconds Exchanger::meet(int ranks, double patience) {
    std::array<float, 1> own = {1}, sum = {};
    return exchange({Collective::all_reduce, ranks, std::as_bytes(std::span(own)),
                     std::as_writable_bytes(std::span(sum)), patience})
        .end;
}

ExchangeTimes Exchanger::run(const Exchange& exchange, int repeats) {
    if (failure_) {  // later exchanges may have been posted before it
        std::rethrow_exception(failure_);
    }
    ExchangeTimes times{.begin = monotonic_now(), .end = {}};
    for (int i = 0; i < repeats; ++i) {
        if (!communicator_->exchange(exchange, exchange.patience * limit_)) {
            failure_ = std::make_exception_ptr(absent_ranks(exchange.ranks));
            communicator_->give_up_on_others();
            std::rethrow_exception(failure_);
        }
    }
    times.end = monotonic_now();
    return times;
}

// Tells ranks that ask that this one is alive.
void Exchanger::answer() {
    while (const auto message = communicator_->receive(Seconds{})) {
        if (message->kind == asks_for_life) {
            communicator_->send(message->from, is_alive, {});
        }
    }
}

// The ranks that do not wait for this exchange.
AbsentRanks Exchanger::absent_ranks(int ranks) {
    std::set<int> silent, busy;
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank != rank_) {
            silent.insert(rank);
            communicator_->send(rank, is_waiting, {});
            communicator_->send(rank, asks_for_life, {});
        }
    }
    for (const Seconds begin = monotonic_now(); monotonic_now() - begin < for_answers;) {
        const auto message = communicator_->receive(Seconds{0.1});
        if (!message) {
            continue;
        }
        silent.erase(message->from);
        if (message->kind == is_alive) {
            busy.insert(message->from);
        } else if (message->kind == is_waiting) {
            busy.erase(message->from);
        }
    }
    if (!silent.empty()) {
        return {
            fmt::format("rank {} did not come to an exchange within {:.3g} s and sends nothing: "
                        "it is stopped or dead; start again without it",
                        fmt::join(silent, " and rank "), limit_.value),
            silent};
    }
    if (!busy.empty()) {
        return {
            fmt::format("rank {} is alive but did not come to an exchange within {:.3g} s: it is "
                        "too slow; give a longer --limit, or look at its host",
                        fmt::join(busy, " and rank "), limit_.value),
            busy};
    }
    return {
        fmt::format("an exchange of {} ranks was not done within {:.3g} s; give a longer --limit",
                    ranks, limit_.value),
        {}};
}

}  // namespace strata
