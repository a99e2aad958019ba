// SPDX-License-Identifier: MIT
#include "analyze/infeed.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

std::string rate_text(double images) {
    return images >= 100 ? fmt::format("{:.0f}", images) : fmt::format("{:.3g}", images);
}

// The share in each overlapped iteration. (A share has no unit; the statistics of medians need
// none.)
void add_overlap(const SampledInfeed& times, InfeedFindings& findings) {
    std::vector<Seconds> beside, shares;
    for (std::size_t i = 0; i < times.overlapped.values.size(); ++i) {
        const Seconds whole = times.overlapped.values[i];
        const Seconds input = times.waiting.values[i] + times.copying.values[i];
        beside.push_back(whole - input);
        shares.push_back(Seconds{whole > Seconds{0} ? input / whole : 0});
    }
    findings.beside = estimate(beside);
    const Estimate share = estimate(shares);
    findings.share = share.median.value;
    findings.share_low = share.low.value;
    findings.share_high = share.high.value;
}

}  // namespace

std::optional<InfeedFindings> findings_on(const InfeedResult& infeed, std::int64_t batch) {
    const SampledInfeed& times = infeed.times;
    const std::size_t overlapped = times.overlapped.values.size();
    if (times.waiting.values.size() != overlapped || times.copying.values.size() != overlapped) {
        throw Error(
            "the times of a run that was fed with images do not fit together: the database is "
            "damaged");
    }
    InfeedFindings findings{.step = estimate(times.step.values),
                            .serial = estimate(times.serial.values),
                            .decode = estimate(times.decode.values),
                            .augment = estimate(times.augment.values),
                            .produce = estimate(times.produce.values),
                            .copy = estimate(times.copy.values),
                            .overlapped = estimate(times.overlapped.values),
                            .waiting = estimate(times.waiting.values),
                            .copying = estimate(times.copying.values),
                            .beside = {}};
    add_overlap(times, findings);
    const Seconds step = findings.step.median;
    const Seconds produce = findings.produce.median;
    if (!(step > Seconds{0} && produce > Seconds{0})) {
        return {};
    }
    findings.made_per_second = static_cast<double>(batch) / produce.value;
    findings.taken_per_second = static_cast<double>(batch) / step.value;
    findings.processors = (findings.decode.median + findings.augment.median) / step;
    return findings;
}

std::string verdict_on(const InfeedFindings& findings, int threads) {
    const bool is_bound = findings.is_infeed_bound();
    const auto needed = static_cast<std::int64_t>(std::ceil(findings.processors));
    std::string verdict = fmt::format(
        "{}: {} thread{} {} {} images/s and the network takes {}. {:.3g} % of an overlapped step "
        "goes into waiting for input and copying it",
        is_bound ? "Infeed-bound" : "Not infeed-bound", threads, threads == 1 ? "" : "s",
        threads == 1 ? "makes" : "make", rate_text(findings.made_per_second),
        rate_text(findings.taken_per_second), 100 * findings.share);
    verdict += is_bound ? fmt::format(
                              "; {} thread{}, each with a processor of its own, would keep "
                              "up.",
                              needed, needed == 1 ? "" : "s")
                        : fmt::format("; making the images keeps {:.2g} processors busy.",
                                      findings.processors);
    return verdict;
}

}  // namespace strata
