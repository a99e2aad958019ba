// SPDX-License-Identifier: MIT
#pragma once

namespace strata {

// Whether work on a device of this process has hung. From then on nothing calls the vendor's
// libraries, not even to free something: such a call may wait for that work.
bool device_hangs() noexcept;

// Makes it so. The process will also end without the vendor's exit handlers, which may wait
// likewise, with the exit code that it was going to return.
void give_up_device() noexcept;

}  // namespace strata
