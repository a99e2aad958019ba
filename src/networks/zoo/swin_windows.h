// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/transformer_layers.h"

namespace strata {

// The side of a Swin Transformer's window, and the shift of every second block's windows.
inline constexpr std::int64_t window_side = 7;
inline constexpr std::int64_t window_places = window_side * window_side;
inline constexpr std::int64_t window_shift = window_side / 2;

// Whether a block's windows are aligned with the plane's edge or shifted.
enum class Windows { aligned, shifted };

// Attention within windows of [batch, side, side, width]; keeps the shape. A plane of one window is
// never shifted.
TensorId attend_in_windows(TransformerLayers& layers, const std::string& name, TensorId x,
                           std::int64_t heads, Windows windows);

}  // namespace strata
