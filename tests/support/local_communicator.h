// SPDX-License-Identifier: MIT
#pragma once

#include "scale/communicator.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
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
        bool exchange(const Exchange& exchange, Seconds limit) override {
            return ranks_.exchange(rank_, exchange, limit);
        }
        void give_up_on_others() override {}

    private:
        LocalRanks& ranks_;
        int rank_;
    };

    // The n-th exchange of each rank, until all have come.
    struct Round {
        std::vector<const Exchange*> arrived = {};  // by rank
        std::size_t here = 0;
        bool is_done = false;
    };

    bool exchange(int rank, const Exchange& exchange, Seconds limit) {
        std::unique_lock lock(mutex_);
        done_.resize(boxes_.size());
        const std::size_t number = done_[static_cast<std::size_t>(rank)]++;
        if (rounds_.size() <= number) {
            rounds_.push_back(std::make_shared<Round>());
        }
        const std::shared_ptr<Round> round = rounds_[number];
        round->arrived.resize(static_cast<std::size_t>(exchange.ranks));
        round->arrived[static_cast<std::size_t>(rank)] = &exchange;
        if (++round->here == round->arrived.size()) {
            complete(*round);
            round->is_done = true;
            changed_.notify_all();
        }
        return changed_.wait_for(lock, std::chrono::duration<double>(limit.value),
                                 [&] { return round->is_done; });
    }

    // All-reduces and all-gathers.
    static void complete(const Round& round) {
        std::vector<std::byte> all;
        for (const Exchange* one : round.arrived) {
            all.insert(all.end(), one->sent.begin(), one->sent.end());
        }
        const std::size_t size = round.arrived.front()->sent.size();
        if (round.arrived.front()->collective == Collective::all_reduce) {
            std::vector<float> values(all.size() / sizeof(float));
            std::memcpy(values.data(), all.data(), all.size());
            const std::size_t count = size / sizeof(float);
            for (std::size_t i = count; i < values.size(); ++i) {
                values[i % count] += values[i];
            }
            std::memcpy(all.data(), values.data(), size);
            all.resize(size);
        }
        for (const Exchange* one : round.arrived) {
            std::ranges::copy(all, one->received.begin());
        }
    }

    std::vector<std::shared_ptr<Round>> rounds_;
    std::vector<std::size_t> done_;  // exchanges of each rank
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::deque<RankMessage>> boxes_;
};

}  // namespace strata::testing
