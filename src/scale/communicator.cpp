// SPDX-License-Identifier: MIT
#include "scale/communicator.h"

#include "backend/module.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

namespace strata {

namespace {

// A launcher's variables for rank and size.
struct LaunchVariables {
    const char* rank;
    const char* size;
};

constexpr std::array<LaunchVariables, 3> launch_variables = {{
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},  // PMIx itself sets no variable for the size
}};

std::optional<int> count_in(const char* name) {
    const char* text = std::getenv(name);
    const auto value = text == nullptr ? std::nullopt : parse_integer(text);
    constexpr std::int64_t most = 1'000'000;
    return value && *value >= 0 && *value <= most ? std::optional(static_cast<int>(*value))
                                                  : std::nullopt;
}

}  // namespace

Launch launch() {
    for (const LaunchVariables& names : launch_variables) {
        const auto rank = count_in(names.rank), size = count_in(names.size);
        if (rank && size && *rank < *size) {
            return {*rank, *size};
        }
    }
    return {};
}

std::string mpi_refusal() {
    if (!find_beside_modules(module_file("mpi"))) {
        return "this strata was built without MPI";
    }
    try {
        module_function("mpi", communicator_entry);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::unique_ptr<Communicator> open_mpi() {
    if (!find_beside_modules(module_file("mpi"))) {
        throw Error(fmt::format("mpirun started {} ranks of this strata, which was built without "
                                "MPI; build it where MPI is installed (Debian: libopenmpi-dev), or "
                                "give each process of a sweep its --shard",
                                launch().size),
                    ExitCode::machine_cannot);
    }
    const auto make =
        reinterpret_cast<Communicator* (*)()>(module_function("mpi", communicator_entry));
    return std::unique_ptr<Communicator>(make());
}

}  // namespace strata
