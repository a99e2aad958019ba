// SPDX-License-Identifier: MIT
#pragma once

#include "scale/communicator.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace strata::testing {

// The ranks of one process: a thread each, and a letterbox for every one.
class LocalRanks {
public:
    explicit LocalRanks(int size) : boxes_(static_cast<std::size_t>(size)) {}

    std::unique_ptr<Communicator> open(int rank) { return std::make_unique<Rank>(*this, rank); }

private:
    class Rank : public Communicator {
    public:
        Rank(LocalRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}

        int rank() const override { return rank_; }
        int size() const override { return static_cast<int>(ranks_.boxes_.size()); }
        void send(int to, int kind, std::string bytes) override {
            const std::lock_guard lock(ranks_.mutex_);
            ranks_.boxes_.at(static_cast<std::size_t>(to))
                .push_back({.from = rank_, .kind = kind, .bytes = std::move(bytes)});
            ranks_.changed_.notify_all();
        }
        std::optional<RankMessage> receive(Seconds patience) override {
            std::unique_lock lock(ranks_.mutex_);
            auto& box = ranks_.boxes_.at(static_cast<std::size_t>(rank_));
            ranks_.changed_.wait_for(lock, std::chrono::duration<double>(patience.value),
                                     [&] { return !box.empty(); });
            if (box.empty()) {
                return std::nullopt;
            }
            RankMessage message = std::move(box.front());
            box.pop_front();
            return message;
        }
        void give_up_on_others() override {}

    private:
        LocalRanks& ranks_;
        int rank_;
    };

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::deque<RankMessage>> boxes_;
};

}  // namespace strata::testing
