// SPDX-License-Identifier: MIT
#include "scale/communicator.h"

#include "backend/module.h"
#include "base/error.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <thread>

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

// MPI waits by spinning, so it is polled instead: four times within the patience, but not more
// often than this, because each poll may interrupt a computing thread.
constexpr auto between_questions = std::chrono::milliseconds(1);
constexpr auto longest_between_questions = std::chrono::milliseconds(20);
constexpr auto patience_at_end = std::chrono::seconds(5);

std::chrono::duration<double> duration_of(Seconds time) {
    return std::chrono::duration<double>(time.value);
}

// A message being sent; MPI reads its bytes until it is complete.
struct Departure {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
};

class MpiCommunicator : public Communicator {
public:
    MpiCommunicator() {
        int provided = 0;
        if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
            provided < MPI_THREAD_FUNNELED) {
            throw Error(
                "MPI does not start, or does not support a process with threads; see its messages "
                "and its installation",
                ExitCode::machine_cannot);
        }
        // A rank that has died must not end the others.
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    ~MpiCommunicator() override {
        const auto end = Clock::now() + patience_at_end;
        for (sweep_departures(); !departures_.empty() && Clock::now() < end; sweep_departures()) {
            std::this_thread::sleep_for(between_questions);
        }
        if (!is_given_up_) {
            MPI_Finalize();  // which waits for every rank
        }
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void send(int to, int kind, std::string bytes) override {
        check(to != rank_ && to >= 0 && to < size_, "a message goes to another rank");
        sweep_departures();
        Departure& departure = departures_.emplace_back(Departure{.bytes = std::move(bytes)});
        if (MPI_Isend(departure.bytes.data(), static_cast<int>(departure.bytes.size()), MPI_CHAR,
                      to, kind, MPI_COMM_WORLD, &departure.request) != MPI_SUCCESS) {
            departures_.pop_back();
        }
    }

    std::optional<RankMessage> receive(Seconds patience) override {
        const auto end = Clock::now() + duration_of(patience);
        const auto between = std::clamp<std::chrono::duration<double>>(
            duration_of(patience) / 4, between_questions, longest_between_questions);
        while (true) {
            if (auto message = next()) {
                return message;
            }
            const auto left = end - Clock::now();
            if (left <= left.zero()) {
                return std::nullopt;
            }
            std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(left, between));
        }
    }

    void give_up_on_others() override { is_given_up_ = true; }

private:
    static std::optional<RankMessage> next() {
        int is_there = 0, count = 0;
        MPI_Status status{};
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status) !=
                MPI_SUCCESS ||
            is_there == 0) {
            return std::nullopt;
        }
        MPI_Get_count(&status, MPI_CHAR, &count);
        RankMessage message{.from = status.MPI_SOURCE,
                            .kind = status.MPI_TAG,
                            .bytes = std::string(static_cast<std::size_t>(count), '\0')};
        const int trouble = MPI_Recv(message.bytes.data(), count, MPI_CHAR, message.from,
                                     message.kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return trouble == MPI_SUCCESS ? std::optional(std::move(message)) : std::nullopt;
    }

    // Drops messages that have arrived or no longer can.
    void sweep_departures() {
        std::erase_if(departures_, [](Departure& departure) {
            int is_done = 0;
            return MPI_Test(&departure.request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
                   is_done != 0;
        });
    }

    int rank_ = 0;
    int size_ = 1;
    bool is_given_up_ = false;
    std::list<Departure> departures_;  // a list, because the bytes must not move
};

}  // namespace

}  // namespace strata

extern "C" __attribute__((visibility("default"))) std::uint64_t strata_module_interface() {
    return strata::module_interface();
}

extern "C" __attribute__((visibility("default"))) strata::Communicator* strata_make_communicator() {
    return new strata::MpiCommunicator();
}
