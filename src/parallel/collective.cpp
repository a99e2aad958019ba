// SPDX-License-Identifier: MIT
#include "parallel/collective.h"

#include "base/error.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace strata {

namespace {

enum class Summing { no, yes };

// Adds up messages that follow each other.
class MessageSum {
public:
    explicit MessageSum(const LinkCost& link) : link_(link) {}

    // `repeats` times, that many pairs of devices exchange so many bytes at one time.
    void add(double repeats, Bytes bytes, double pairs, Summing summing) {
        Bandwidth bandwidth = link_.bandwidth;
        if (link_.root) {
            bandwidth = std::min(bandwidth, *link_.root / pairs);
        }
        time_ += repeats * (link_.latency + bytes / bandwidth);
        if (summing == Summing::yes && link_.reduction) {
            time_ += repeats * (bytes / *link_.reduction);
        }
    }

    Seconds time() const { return time_; }

private:
    const LinkCost& link_;
    Seconds time_;
};

std::optional<Seconds> ring_time(Collective collective, int devices, Bytes bytes,
                                 const LinkCost& link) {
    MessageSum sum(link);
    const double steps = devices - 1;
    const Bytes part = bytes / devices;
    switch (collective) {
        case Collective::all_reduce:
            sum.add(steps, part, devices, Summing::yes);
            sum.add(steps, part, devices, Summing::no);
            return sum.time();
        case Collective::all_gather:
            sum.add(steps, part, devices, Summing::no);
            return sum.time();
        case Collective::reduce_scatter:
            sum.add(steps, part, devices, Summing::yes);
            return sum.time();
        case Collective::broadcast: {
            // A chain passes on the best number of pieces.
            const Seconds wire = bytes / link.bandwidth;
            const double best =
                link.latency > Seconds{} ? std::sqrt((steps - 1) * (wire / link.latency)) : 1;
            const double pieces = std::max(1.0, std::round(best));
            sum.add(steps + pieces - 1, bytes / pieces, std::min(steps, pieces), Summing::no);
            return sum.time();
        }
        case Collective::all_to_all:
            break;
    }
    return {};
}

// From the leaves to the root the number of pairs halves at each level.
std::optional<Seconds> tree_time(Collective collective, int devices, Bytes bytes,
                                 const LinkCost& link) {
    if (collective != Collective::all_reduce && collective != Collective::broadcast) {
        return {};
    }
    MessageSum sum(link);
    for (int left = devices; left > 1; left = (left + 1) / 2) {
        const double pairs = left / 2;
        if (collective == Collective::all_reduce) {
            sum.add(1, bytes, pairs, Summing::yes);
        }
        sum.add(1, bytes, pairs, Summing::no);
    }
    return sum.time();
}

std::optional<Seconds> doubling_time(Collective collective, int devices, Bytes bytes,
                                     const LinkCost& link) {
    if (!std::has_single_bit(static_cast<unsigned>(devices)) ||
        collective == Collective::broadcast) {
        return {};
    }
    MessageSum sum(link);
    for (int distance = 1; distance < devices; distance *= 2) {
        const Bytes part = bytes * distance / devices;
        switch (collective) {
            case Collective::all_reduce:
                sum.add(1, bytes, devices, Summing::yes);
                break;
            case Collective::all_gather:
                sum.add(1, part, devices, Summing::no);
                break;
            case Collective::reduce_scatter:
                sum.add(1, part, devices, Summing::yes);
                break;
            default:
                sum.add(1, bytes / 2, devices, Summing::no);
                break;
        }
    }
    return sum.time();
}

std::optional<Seconds> direct_time(Collective collective, int devices, Bytes bytes,
                                   const LinkCost& link) {
    MessageSum sum(link);
    const Bytes others = bytes * (devices - 1) / devices;
    switch (collective) {
        case Collective::all_reduce:
            sum.add(1, others, devices, Summing::yes);
            sum.add(1, others, devices, Summing::no);
            break;
        case Collective::reduce_scatter:
            sum.add(1, others, devices, Summing::yes);
            break;
        case Collective::broadcast:
            sum.add(1, bytes * (devices - 1), 1, Summing::no);
            break;
        default:
            sum.add(1, others, devices, Summing::no);
            break;
    }
    return sum.time();
}

}  // namespace

std::optional<Seconds> time_of(Collective collective, CollectiveAlgorithm algorithm, int devices,
                               Bytes bytes, const LinkCost& link) {
    check(devices >= 1, "a collective has devices");
    if (devices == 1) {
        return Seconds{};
    }
    switch (algorithm) {
        case CollectiveAlgorithm::ring:
            return ring_time(collective, devices, bytes, link);
        case CollectiveAlgorithm::tree:
            return tree_time(collective, devices, bytes, link);
        case CollectiveAlgorithm::recursive_doubling:
            return doubling_time(collective, devices, bytes, link);
        case CollectiveAlgorithm::direct:
            return direct_time(collective, devices, bytes, link);
    }
    return {};
}

}  // namespace strata
