// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "parallel/collective.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace strata {

// The rank of this process in its job, from 0, and the number of ranks.
struct Launch {
    int rank = 0;
    int size = 1;
};

// Rank and size as mpirun or srun set them in the environment (Open MPI, PMI, PMIx with Slurm); a
// single rank without a launcher.
Launch launch();

// A message of another rank.
struct RankMessage {
    int from = 0;
    int kind = 0;  // the meaning of its bytes, agreed between sender and receiver
    std::string bytes;
};

// A collective of the first so many ranks. Sums are of f32. An all-reduce and an all-to-all receive
// as many bytes as they send, an all-gather those of every rank, a reduce-scatter its part; a
// broadcast receives what rank 0 sends.
struct Exchange {
    Collective collective = Collective::all_reduce;
    int ranks = 1;
    std::span<const std::byte> sent = {};
    std::span<std::byte> received = {};
    // How a rank waits: at once, or asleep and for so many times the usual limit, because the
    // others have work to do first.
    double patience = 1;
};

// Sends and receives messages between the ranks of one job. Messages from one rank arrive in order.
// A rank that has died is only silent. Must be used by the thread that opened it.
class Communicator {
public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    // Waits until all messages have left and all ranks are here, unless `give_up_on_others`.
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Does not wait. A message to a rank that has died is lost. Requires: another rank, kind >= 0.
    virtual void send(int to, int kind, std::string bytes) = 0;

    // The next message from any rank; empty if none comes within the patience.
    virtual std::optional<RankMessage> receive(Seconds patience) = 0;

    // Does a collective, polling all the time unless patience is above 1; false if it is not done
    // within the limit, because some rank has not come. Its memory must then live as long as this
    // process, and no exchange may follow. Requires: this rank takes part, and less than 2 GiB.
    virtual bool exchange(const Exchange& exchange, Seconds limit) = 0;

    // To be called if a rank has died: the destructor then does not wait for all.
    virtual void give_up_on_others() = 0;
};

// Why open_mpi would refuse; empty if it would not.
std::string mpi_refusal();

// Connects the ranks that mpirun or srun started through MPI: loads the module libstrata_mpi.so,
// which is built if MPI is installed. Throws Error with exit code machine_cannot if it is missing.
std::unique_ptr<Communicator> open_mpi();

// The module's entry point.
inline constexpr const char* communicator_entry = "strata_make_communicator";

}  // namespace strata
