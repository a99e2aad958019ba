// SPDX-License-Identifier: MIT
#include "scale/communicator.h"

#include "backend/module.h"
#include "base/error.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <list>
#include <map>
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

// Open MPI 4 adds up non-blocking all-reduces of two or three ranks in a tree: twice all bytes, in
// one direction at a time. Its ring sends the fewest bytes in both directions, which takes half the
// time. A user's own setting stays.
void choose_ring_of_few() {
    if (launch().size < 4) {
        constexpr int keep = 0;
        setenv("OMPI_MCA_coll_libnbc_iallreduce_algorithm", "ring", keep);
    }
}

class MpiCommunicator : public Communicator {
public:
    MpiCommunicator() {
        choose_ring_of_few();
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

    bool exchange(const Exchange& asked, Seconds limit) override {
        check(rank_ < asked.ranks && asked.ranks <= size_, "a rank takes part in its exchange");
        MPI_Request request = MPI_REQUEST_NULL;
        if (begin(asked, group_of(asked.ranks), request) != MPI_SUCCESS) {
            return false;
        }
        const auto end = Clock::now() + duration_of(limit);
        for (int is_done = 0; true;) {
            if (asked.patience > 1) {
                std::this_thread::sleep_for(between_questions);
            } else {
                std::this_thread::yield();
            }
            if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
                return false;
            }
            if (is_done != 0 || Clock::now() > end) {
                return is_done != 0;
            }
        }
    }

    void give_up_on_others() override { is_given_up_ = true; }

private:
    // The communicator of the first so many ranks, which make it together.
    MPI_Comm group_of(int ranks) {
        if (ranks == size_) {
            return MPI_COMM_WORLD;
        }
        auto known = groups_.find(ranks);
        if (known == groups_.end()) {
            MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
            MPI_Comm made = MPI_COMM_NULL;
            int range[1][3] = {{0, ranks - 1, 1}};
            MPI_Comm_group(MPI_COMM_WORLD, &all);
            MPI_Group_range_incl(all, 1, range, &some);
            MPI_Comm_create_group(MPI_COMM_WORLD, some, ranks, &made);
            MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
            MPI_Group_free(&some);
            MPI_Group_free(&all);
            known = groups_.emplace(ranks, made).first;
        }
        return known->second;
    }

    static int count_of(std::size_t bytes, std::size_t element) {
        check(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
              "an exchange has less than 2 GiB");
        return static_cast<int>(bytes / element);
    }

    static int begin(const Exchange& asked, MPI_Comm group, MPI_Request& request) {
        const std::byte* const sent = asked.sent.data();
        std::byte* const received = asked.received.data();
        const auto ranks = static_cast<std::size_t>(asked.ranks);
        switch (asked.collective) {
            case Collective::all_reduce:
                return MPI_Iallreduce(sent, received, count_of(asked.sent.size(), sizeof(float)),
                                      MPI_FLOAT, MPI_SUM, group, &request);
            case Collective::reduce_scatter:
                return MPI_Ireduce_scatter_block(sent, received,
                                                 count_of(asked.received.size(), sizeof(float)),
                                                 MPI_FLOAT, MPI_SUM, group, &request);
            case Collective::all_gather: {
                const int count = count_of(asked.sent.size(), 1);
                return MPI_Iallgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, group,
                                      &request);
            }
            case Collective::all_to_all: {
                const int count = count_of(asked.sent.size() / ranks, 1);
                return MPI_Ialltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, group,
                                     &request);
            }
            case Collective::broadcast:
                return MPI_Ibcast(received, count_of(asked.received.size(), 1), MPI_BYTE, 0, group,
                                  &request);
        }
        return MPI_ERR_OTHER;
    }

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
    std::map<int, MPI_Comm> groups_;   // by their number of ranks
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
