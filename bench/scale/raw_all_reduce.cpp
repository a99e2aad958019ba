// SPDX-License-Identifier: MIT
// mpirun -n 2 build/dev/bench/scale/raw_all_reduce: the time of MPI_Allreduce of f32 by bytes, in
// microseconds: the median of seven rounds as the slowest rank sees them. It is built by
// `scripts/build dev -- --target raw_all_reduce` if MPI is installed.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int rounds = 7;
constexpr int repeats = 20;

double slowest_round(const std::vector<float>& sent, std::vector<float>& received) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        MPI_Allreduce(sent.data(), received.data(), static_cast<int>(sent.size()), MPI_FLOAT,
                      MPI_SUM, MPI_COMM_WORLD);
    }
    const double own = (MPI_Wtime() - begin) / repeats;
    double slowest = 0;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (std::size_t bytes = 1024; bytes <= std::size_t{16} << 20; bytes *= 4) {
        const std::vector<float> sent(bytes / sizeof(float), 1.0F);
        std::vector<float> received(sent.size());
        slowest_round(sent, received);
        std::vector<double> times;
        for (int i = 0; i < rounds; ++i) {
            times.push_back(slowest_round(sent, received));
        }
        std::sort(times.begin(), times.end());
        if (rank == 0) {
            std::printf("%zu,%.3f\n", bytes, times[rounds / 2] * 1e6);
        }
    }
    MPI_Finalize();
    return 0;
}
