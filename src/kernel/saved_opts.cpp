// See saved_opts.h. Eight fields a line: kind, bases, size, from, at, tail, unit, operand.
#include "kernel/saved_opts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "support/text.h"
#include "tg/error.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

constexpr std::array<std::string_view, 11> kKinds = {"order",  "tile",         "move",  "unroll",
                                                     "vector", "thread",       "local", "group",
                                                     "matrix", "split-reduce", "stage"};
constexpr std::array kTails = {Tail::None, Tail::Peel, Tail::Shift, Tail::Mask, Tail::Absorb};
constexpr std::string_view kNothing = "-";
constexpr size_t kFields = 8;

std::string saved(const Opt& opt, const std::vector<const Node*>& nodes) {
  const auto operand = std::ranges::find(nodes, opt.operand.node());
  return fmt::format(
      "{} {} {} {} {} {} {} {}\n", kKinds[static_cast<size_t>(opt.kind)],
      opt.bases.empty() ? kNothing : fmt::format("{}", fmt::join(opt.bases, ",")), opt.size,
      opt.from, opt.at, tail_name(opt.tail),
      opt.unit == nullptr ? kNothing : std::string_view(opt.unit->name),
      opt.operand ? fmt::format("{}", operand - nodes.begin()) : std::string(kNothing));
}

std::optional<int> small_int(std::string_view text) {
  const auto value = parse_int64(text);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

// Of every Opt so many bases as its function reads.
bool has_its_bases(const Opt& opt) {
  switch (opt.kind) {
    case Opt::Kind::Order:
      return true;
    case Opt::Kind::Move:
    case Opt::Kind::Thread:
    case Opt::Kind::Stage:
      return opt.bases.empty();
    case Opt::Kind::Matrix:
      return opt.bases.size() == 3 && opt.unit != nullptr;
    default:
      return opt.bases.size() == 1;
  }
}

std::optional<Opt> parsed(std::string_view line, const std::vector<const Node*>& nodes) {
  const auto fields = split(line, ' ');
  if (fields.size() != kFields) return std::nullopt;
  const auto kind = std::ranges::find(kKinds, std::string_view(fields[0]));
  const auto tail = std::ranges::find(kTails, fields[5], tail_name);
  const auto size = parse_int64(fields[2]);
  const auto from = small_int(fields[3]), at = small_int(fields[4]);
  if (kind == kKinds.end() || tail == kTails.end() || !size || !from || !at) return std::nullopt;
  Opt out{.kind = static_cast<Opt::Kind>(kind - kKinds.begin()),
          .size = *size,
          .from = *from,
          .at = *at,
          .tail = *tail};
  if (*size < 0 || *size > std::numeric_limits<int>::max()) return std::nullopt;
  if (fields[1] != kNothing) {
    for (const auto& field : split(fields[1], ',')) {
      const auto base = small_int(field);
      if (!base) return std::nullopt;
      out.bases.push_back(*base);
    }
  }
  if (fields[6] != kNothing) out.unit = find_matrix_unit(fields[6]);
  if (fields[7] != kNothing) {
    const auto node = small_int(fields[7]);
    if (!node || static_cast<size_t>(*node) >= nodes.size()) return std::nullopt;
    out.operand = UOp::share(nodes[static_cast<size_t>(*node)]);
  }
  return has_its_bases(out) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string save_opts(const UOp& kernel, const KernelSchedule& s) {
  const std::vector<const Node*> nodes = toposort(kernel);
  std::string out;
  for (const Opt& opt : s.opts) out += saved(opt, nodes);
  return out;
}

std::optional<KernelSchedule> load_opts(const UOp& kernel, std::string_view text) {
  const std::vector<const Node*> nodes = toposort(kernel);
  KernelSchedule s = plain_schedule(kernel);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const auto opt =
        end == std::string_view::npos ? std::nullopt : parsed(text.substr(0, end), nodes);
    if (!opt) return std::nullopt;
    try {
      apply_opt(s, *opt);
    } catch (const ArgumentError&) {
      return std::nullopt;
    }
    text.remove_prefix(end + 1);
  }
  return s;
}

}  // namespace tg
