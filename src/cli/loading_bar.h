// The progress bar of `tg llm`, `tg embed`, `tg serve`, `tg classify`, `tg detect`, `tg
// transcribe`, `tg rewrite` and `tg imagine` while the weights of a model are read.
#pragma once

#include <cstdint>
#include <optional>

#include "support/progress.h"

namespace tg::cli {

/// What `load(options)` gives, with a bar in MiB on the standard error output while it reads.
/// `options` have a member `progress` for bytes so far, and of all.
template <typename Options, typename Load>
auto with_loading_bar(Options options, const Load& load) {
  constexpr uint64_t kBytesOfStep = 1 << 20;
  std::optional<ProgressBar> bar;
  int64_t shown = 0;
  options.progress = [&](uint64_t done, uint64_t all) {
    const auto steps = static_cast<int64_t>(done / kBytesOfStep);
    if (!bar) bar.emplace("loading (MiB)", static_cast<int64_t>(all / kBytesOfStep));
    bar->advance(steps - shown);
    shown = steps;
  };
  auto loaded = load(options);
  if (bar) bar->finish();
  return loaded;
}

}  // namespace tg::cli
