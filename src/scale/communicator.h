// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <memory>
#include <optional>
#include <string>

namespace strata {

// Which of the processes of one job this one is, from 0.
struct Launch {
    int rank = 0;
    int size = 1;
};

// What mpirun or srun says in the environment of this process (Open MPI, PMI, PMIx with Slurm);
// alone where there is neither.
Launch launch();

// A message of another rank.
struct RankMessage {
    int from = 0;
    int kind = 0;  // what its bytes mean, as sender and receiver have agreed
    std::string bytes;
};

// The ranks of one job and what they say to each other. Messages of one rank arrive in their order.
// That a rank has died shows only by its silence. To be used by the thread that opened it.
class Communicator {
public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    // Waits until what was sent has left and all ranks are here, unless `give_up_on_others`.
    virtual ~Communicator() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Does not wait. A message to a rank that has died is lost. Requires: another rank, kind >= 0.
    virtual void send(int to, int kind, std::string bytes) = 0;

    // The next message of any rank; nothing if none comes within the patience.
    virtual std::optional<RankMessage> receive(Seconds patience) = 0;

    // A rank has died: the end does not wait for all.
    virtual void give_up_on_others() = 0;
};

// Why open_mpi would refuse; empty: it would not.
std::string mpi_refusal();

// The ranks that mpirun or srun started, by MPI: the module libstrata_mpi.so, which is built where
// MPI is installed. Throws Error with exit code machine_cannot where it is not.
std::unique_ptr<Communicator> open_mpi();

// That module's entry.
inline constexpr const char* communicator_entry = "strata_make_communicator";

}  // namespace strata
