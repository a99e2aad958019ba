// SPDX-License-Identifier: MIT
#include "analyze/modelled_figure.h"

#include "analyze/figure.h"

#include <algorithm>

namespace strata {

namespace {

constexpr double per_cent = 100;
constexpr double giga = 1e9;

// The sums over all passes of a layer.
struct LayerTotals {
    SimulatedKernel traffic;
    Instructions instructions;
    double forward_s = 0, backward_s = 0;
    double data_stalls = 0, stalls = 0;  // weighted by time

    double seconds() const { return forward_s + backward_s; }
};

double share_of(const StallShares& stalls, std::initializer_list<Stall> of) {
    double sum = 0;
    for (const Stall stall : of) {
        sum += stalls[stall];
    }
    return sum;
}

void add(LayerTotals& sum, const SimulatedStep& step) {
    for (const KernelSimulation& kernel : step.kernels) {
        (step.pass == Pass::forward ? sum.forward_s : sum.backward_s) += kernel.time.value;
        sum.instructions += kernel.instructions;
        sum.data_stalls += kernel.time.value *
                           share_of(kernel.stalls, {Stall::short_scoreboard, Stall::long_scoreboard,
                                                    Stall::lg_throttle, Stall::mio_throttle});
        sum.stalls +=
            kernel.time.value * (1 - share_of(kernel.stalls, {Stall::selected, Stall::tail}));
    }
}

std::optional<LayerTotals> totals_of(const SimulatedNetwork& network, const std::string& layer) {
    LayerTotals sum;
    std::vector<KernelSimulation> kernels;
    for (const SimulatedStep& step : network.steps) {
        if (step.layer != layer || step.pass == Pass::update) {
            continue;
        }
        if (!step.reason.empty()) {
            return {};
        }
        add(sum, step);
        kernels.insert(kernels.end(), step.kernels.begin(), step.kernels.end());
    }
    if (kernels.empty()) {
        return {};
    }
    sum.traffic = sum_of(kernels);
    return sum;
}

std::optional<double> figure_ratio(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

std::optional<double> percent_of(double part, double whole) {
    return whole > 0 ? std::optional(per_cent * part / whole) : std::nullopt;
}

std::optional<double> value_of(FigureMeasure measure, const LayerTotals& layer,
                               const LayerTotals& first) {
    const SectorCounts l1 = layer.traffic.l1.value_or(LevelCounts()).sectors;
    const SectorCounts& l2 = layer.traffic.l2.sectors;
    const auto rate = [&](double sectors) {
        return figure_ratio(sectors * static_cast<double>(sector_bytes) / giga, layer.seconds());
    };
    switch (measure) {
        case FigureMeasure::time_ratio:
            return figure_ratio(layer.seconds(), first.seconds());
        case FigureMeasure::backward_over_forward:
            return figure_ratio(layer.backward_s, layer.forward_s);
        case FigureMeasure::data_stall_share:
            return percent_of(layer.data_stalls, layer.stalls);
        case FigureMeasure::instruction_ratio:
            return figure_ratio(layer.instructions.total(), first.instructions.total());
        case FigureMeasure::load_store_share:
            return percent_of(layer.instructions.loads_and_stores(), layer.instructions.total());
        case FigureMeasure::l1_rate:
            return layer.traffic.l1 ? rate(l1.reads) : std::nullopt;
        case FigureMeasure::l1_hit_rate:
            return percent_of(l1.read_hits, l1.reads);
        case FigureMeasure::l2_read_rate:
            return rate(l2.reads);
        case FigureMeasure::l2_read_hit_rate:
            return percent_of(l2.read_hits, l2.reads);
        case FigureMeasure::l2_write_rate:
            return rate(l2.writes);
        case FigureMeasure::l2_write_hit_rate:
            return percent_of(l2.write_hits, l2.writes);
        case FigureMeasure::dram_read_rate:
            return rate(layer.traffic.dram_reads);
        case FigureMeasure::dram_write_rate:
            return rate(layer.traffic.dram_writes);
    }
    return {};
}

void correlate(ComparedMeasure& compared) {
    std::vector<double> published, ours;
    for (const ComparedLayer& layer : compared.layers) {
        if (!layer.ours) {
            return;
        }
        published.push_back(layer.published);
        ours.push_back(*layer.ours);
    }
    compared.rank_correlation = rank_correlation(published, ours);
}

}  // namespace

std::vector<ComparedMeasure> compare_modelled_figure(const ModelledFigure& figure,
                                                     std::span<const SimulatedNetwork> batches) {
    std::vector<ComparedMeasure> found;
    for (const MeasurePanel& panel : figure.panels) {
        const auto batch = std::ranges::find(batches, panel.batch, &SimulatedNetwork::batch);
        ComparedMeasure compared{.panel = panel};
        const auto first =
            batch == batches.end() ? std::nullopt : totals_of(*batch, figure.layers.front());
        for (std::size_t i = 0; i < figure.layers.size(); ++i) {
            ComparedLayer layer{.layer = figure.layers[i], .published = panel.published[i]};
            if (const auto own = first ? totals_of(*batch, layer.layer) : std::nullopt) {
                layer.ours = value_of(panel.measure, *own, *first);
            }
            compared.layers.push_back(std::move(layer));
        }
        correlate(compared);
        found.push_back(std::move(compared));
    }
    return found;
}

}  // namespace strata
