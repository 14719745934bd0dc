// The worker's side of the protocol that worker.py describes, for workers in C++.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads.h"

namespace tg::peers {

/// The call for work of this kind; with `times`, of so many in a row. Throws for what the worker
/// does not do.
using Prepare = std::function<Call(std::optional<int64_t> times, std::string_view kind,
                                   std::span<const int64_t> sizes)>;

/// Answers requests from standard input until there are none left.
void serve(std::string_view version, const Prepare& prepare);

/// Prints an answer, a JSON object.
void answer(const std::string& json);
/// Throws ArgumentError for a word that is no whole number.
std::vector<int64_t> numbers(std::span<const std::string> words);

}  // namespace tg::peers
