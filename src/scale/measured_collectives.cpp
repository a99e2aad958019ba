// SPDX-License-Identifier: MIT
#include "scale/measured_collectives.h"

#include "base/enumeration.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::size_t least_bytes = 1024;
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr int rounds = 7;
constexpr Seconds round_time{0.01};  // about what a round takes
constexpr int most_repeats = 200;

std::vector<int> measured_counts(int ranks) {
    std::vector<int> counts;
    for (int count = 2; count < ranks; count *= 2) {
        counts.push_back(count);
    }
    counts.push_back(ranks);
    return counts;
}

// A collective of so many bytes in memory of its own.
class Trial {
public:
    Trial(Collective collective, int ranks, std::size_t bytes) : sent_(bytes), received_(bytes) {
        const std::size_t part = bytes / static_cast<std::size_t>(ranks) / 4 * 4;
        exchange_ = {collective, ranks, sent_, received_};
        if (collective == Collective::all_gather) {
            exchange_.sent = exchange_.sent.first(part);
        } else if (collective == Collective::reduce_scatter) {
            exchange_.sent = exchange_.sent.first(part * static_cast<std::size_t>(ranks));
            exchange_.received = exchange_.received.first(part);
        } else if (collective == Collective::all_to_all) {
            exchange_.sent = exchange_.sent.first(part * static_cast<std::size_t>(ranks));
        }
    }
    const Exchange& exchange() const { return exchange_; }

private:
    std::vector<std::byte> sent_, received_;
    Exchange exchange_;
};

Seconds measured_time(Exchanger& exchanger, const Exchange& exchange) {
    const auto round = [&](int repeats) {
        exchanger.meet(exchange.ranks);
        const ExchangeTimes times = exchanger.exchange(exchange, repeats);
        const Seconds own = (times.end - times.begin) / repeats;
        return Seconds{largest_of_ranks(exchanger, exchange.ranks, {own.value}).front()};
    };
    const Seconds first = std::max(round(3), Seconds{1e-7});
    const int repeats =
        static_cast<int>(std::clamp(round_time / first, 1.0, static_cast<double>(most_repeats)));
    std::vector<Seconds> times;
    for (int i = 0; i < rounds; ++i) {
        times.push_back(round(repeats));
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[rounds / 2];
}

}  // namespace

std::vector<double> of_all_ranks(Exchanger& exchanger, int ranks, std::span<const double> own) {
    std::vector<double> all(own.size() * static_cast<std::size_t>(ranks));
    exchanger.exchange({Collective::all_gather, ranks, std::as_bytes(own),
                        std::as_writable_bytes(std::span(all))});
    return all;
}

std::vector<double> largest_of_ranks(Exchanger& exchanger, int ranks, std::vector<double> own) {
    const std::vector<double> all = of_all_ranks(exchanger, ranks, own);
    for (std::size_t i = 0; i < all.size(); ++i) {
        own[i % own.size()] = std::max(own[i % own.size()], all[i]);
    }
    return own;
}

std::vector<CollectivePoint> measure_collectives(
    Exchanger& exchanger, const std::function<void(const std::string& what)>& progress) {
    std::vector<CollectivePoint> points;
    for (const int count : measured_counts(exchanger.size())) {
        for (std::size_t i = 0; i < names_of(Collective{}).size(); ++i) {
            const auto collective = static_cast<Collective>(i);
            for (std::size_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
                progress(fmt::format("{} of {} ranks, {}", name_of(collective), count,
                                     byte_size_text(Bytes{static_cast<double>(bytes)})));
                if (exchanger.rank() < count) {
                    const Trial trial(collective, count, bytes);
                    points.push_back({collective, count, Bytes{static_cast<double>(bytes)},
                                      measured_time(exchanger, trial.exchange())});
                }
            }
        }
        exchanger.meet(exchanger.size(), patience_of_idle);
    }
    return points;
}

}  // namespace strata
