// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/families.h"

#include "base/error.h"
#include "networks/onnx/file/order.h"

#include <unordered_map>

namespace strata {

namespace {

// THE list of families.
constexpr std::array families = {
    unary_rows,   activation_rows, elementwise_rows,     reduction_rows, convolution_rows,
    pooling_rows, product_rows,    fused_rows,           einsum_rows,    normalization_rows,
    softmax_rows, attention_rows,  fused_attention_rows, recurrent_rows, reshape_rows,
    slice_rows,   pad_rows,        gather_rows,          spread_rows,    movement_rows,
    resize_rows,  grid_rows,       source_rows,          signal_rows,    quantized_rows,
};

using RowsByName = std::unordered_map<std::string_view, const OnnxRow*>;

RowsByName rows_in(Domain domain) {
    RowsByName rows;
    for (const auto family : families) {
        for (const OnnxRow& row : family()) {
            if (row.domain == domain || row.domain == Domain::both) {
                check(rows.emplace(row.op_type, &row).second, "an operator stands in one row");
            }
        }
    }
    return rows;
}

}  // namespace

const OnnxRow* find_row(std::string_view domain, std::string_view op_type) {
    static const RowsByName standard = rows_in(Domain::standard);
    static const RowsByName microsoft = rows_in(Domain::microsoft);
    const RowsByName& rows = domain == microsoft_domain ? microsoft : standard;
    const auto found = rows.find(op_type);
    return found == rows.end() ? nullptr : found->second;
}

const LayerWrite* find_write(std::string_view layer) {
    for (const auto family : families) {
        for (const OnnxRow& row : family()) {
            const auto found = std::ranges::find(row.writes, layer, &LayerWrite::layer);
            if (found != row.writes.end()) {
                return &*found;
            }
        }
    }
    return nullptr;
}

}  // namespace strata
