// SPDX-License-Identifier: MIT
#include "report/document.h"

namespace strata {

Block::Block() = default;
Block::Block(const Block& other) = default;
Block::Block(Block&& other) noexcept = default;
Block& Block::operator=(const Block& other) = default;
Block& Block::operator=(Block&& other) noexcept = default;
Block::~Block() = default;

}  // namespace strata
