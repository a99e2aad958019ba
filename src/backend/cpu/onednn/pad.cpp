// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/move.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>
#include <set>
#include <utility>

namespace strata::cpu {

namespace {

using Index = std::int64_t;
constexpr Index outside = -1;

// For each axis, the input position that each output position copies.
using Sources = std::vector<std::vector<Index>>;

Index source_along(const Pad& op, Index extent, Index at) {
    if (at >= 0 && at < extent) {
        return at;
    }
    switch (op.kind) {
        case PadKind::edge:
            return std::clamp<Index>(at, 0, extent - 1);
        case PadKind::reflect:
            return at < 0 ? -at : 2 * (extent - 1) - at;
        case PadKind::constant:
            break;
    }
    return outside;
}

Sources sources_of(const Pad& op, const Dims& input, const Dims& output) {
    Sources sources(output.size());
    for (std::size_t axis = 0; axis < output.size(); ++axis) {
        for (Index i = 0; i < output[axis]; ++i) {
            sources[axis].push_back(source_along(op, input[axis], i - op.begin[axis]));
        }
    }
    return sources;
}

// Whether no input position is copied twice along the axis.
bool copies_once(const std::vector<Index>& along) {
    std::set<Index> seen;
    return std::ranges::all_of(
        along, [&](Index from) { return from == outside || seen.insert(from).second; });
}

// The runs along the last axis of the output, with the source of each, if any.
class PaddedRows {
public:
    PaddedRows(Sources sources, Dims input) : sources_(std::move(sources)), input_(input) {
        bool is_apart = true;
        for (std::size_t axis = 0; axis < sources_.size(); ++axis) {
            const auto inside =
                std::ssize(sources_[axis]) - std::ranges::count(sources_[axis], outside);
            is_apart = is_apart && copies_once(sources_[axis]);
            is_once_ = is_once_ && is_apart && inside == input_[axis];
            if (axis + 1 < sources_.size()) {
                (is_apart ? groups_ : rows_) *= static_cast<Index>(sources_[axis].size());
            }
        }
        for (Index row = 0; row < groups_ * rows_; ++row) {
            row_sources_.push_back(source_of(row));
        }
        const auto& columns = sources_.back();
        const auto reads = [](Index from) { return from != outside; };
        const auto begin = std::ranges::find_if(columns, reads);
        const auto is_next = [](Index a, Index b) { return b == outside || b != a + 1; };
        const auto end = std::adjacent_find(begin, columns.end(), is_next);
        first_ = begin - columns.begin();
        adjacent_ = begin == columns.end() ? 0 : end - begin + (end == columns.end() ? 0 : 1);
    }

    void pad(const float* x, float value, float* y) const {
        const auto length = static_cast<Index>(sources_.back().size());
        for_each([&](Index row, Index from) {
            float* const to = y + row * length;
            if (from == outside) {
                std::fill_n(to, length, value);
                return;
            }
            const float* const source = x + from * input_.back();
            for_each_single_column(
                [&](Index i, Index column) { to[i] = column == outside ? value : source[column]; });
            std::copy_n(source + first_source(), adjacent_, to + first_);
        });
    }

    // The gradient of each copied element goes back to its source.
    void fold(const float* dy, float* dx) const {
        const auto length = static_cast<Index>(sources_.back().size());
        if (!is_once_) {
            clear(dx, static_cast<std::size_t>(product(input_)) * sizeof(float));
        }
        for_each([&](Index row, Index from) {
            if (from == outside) {
                return;
            }
            const float* const slope = dy + row * length;
            float* const to = dx + from * input_.back();
            for_each_single_column([&](Index i, Index column) {
                if (column != outside) {
                    to[column] = is_once_ ? slope[i] : to[column] + slope[i];
                }
            });
            float* const whole = to + first_source();
            if (is_once_) {
                std::copy_n(slope + first_, adjacent_, whole);
                return;
            }
#pragma GCC ivdep
            for (Index i = 0; i < adjacent_; ++i) {
                whole[i] += slope[first_ + i];
            }
        });
    }

private:
    // Calls visit(output row, input row or outside). Rows of a group may read the same input row,
    // but those of different groups never do, so threads take groups.
    template <class Visit>
    void for_each(Visit&& visit) const {
#pragma omp parallel for schedule(static)
        for (Index group = 0; group < groups_; ++group) {
            for (Index row = group * rows_; row < (group + 1) * rows_; ++row) {
                visit(row, row_sources_[static_cast<std::size_t>(row)]);
            }
        }
    }

    Index source_of(Index row) const {
        Index rest = row, offset = 0, step = 1;
        for (std::size_t axis = sources_.size() - 1; axis-- > 0;) {
            const auto extent = static_cast<Index>(sources_[axis].size());
            const Index from = sources_[axis][static_cast<std::size_t>(rest % extent)];
            if (from == outside) {
                return outside;
            }
            offset += from * step;
            step *= input_[axis];
            rest /= extent;
        }
        return offset;
    }

    // The elements beside the run of adjacent ones.
    template <class Visit>
    void for_each_single_column(Visit&& visit) const {
        const auto& columns = sources_.back();
        for (Index i = 0; i < static_cast<Index>(columns.size()); ++i) {
            if (i < first_ || i >= first_ + adjacent_) {
                visit(i, columns[static_cast<std::size_t>(i)]);
            }
        }
    }

    Index first_source() const {
        return adjacent_ == 0 ? 0 : sources_.back()[static_cast<std::size_t>(first_)];
    }

    Sources sources_;
    Dims input_;
    std::vector<Index> row_sources_;  // source of each row of the output, or outside
    bool is_once_ = true;  // whether each element of the input is copied once, and none is left out
    Index groups_ = 1;
    Index rows_ = 1;      // of a group
    Index first_ = 0;     // column of a run that is copied contiguously
    Index adjacent_ = 0;  // its columns
};

class PadLowering : public LayerLowering {
public:
    PadLowering(const Layer& layer, const Pad& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_plain_value(output());
        const auto loops = [rows = rows(lowering), value = static_cast<float>(op_.value)](
                               const float* from, float* to) { rows.pad(from, value, to); };
        lowering.compute_by_loops(text_of(y.desc), loop_call(loops, {x, y}));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView dx = lowering.make_plain_gradient(input(0));
        const auto loops = [rows = rows(lowering)](const float* from, float* to) {
            rows.fold(from, to);
        };
        lowering.compute_by_loops(text_of(dy.desc), loop_call(loops, {dy, dx}));
    }

private:
    PaddedRows rows(Lowering& lowering) const {
        const Dims& from = lowering.extents(input(0));
        return {sources_of(op_, from, lowering.extents(output())), from};
    }

    const Pad& op_;
};

}  // namespace

Made lower(const Layer& layer, const Pad& op) {
    return std::make_unique<PadLowering>(layer, op);
}

}  // namespace strata::cpu
