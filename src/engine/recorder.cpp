// See recorder.h.
#include "engine/recorder.h"

#include <algorithm>

#include "support/check.h"
#include "support/hash.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

thread_local Recorder* active = nullptr;

std::string number_text(const Node* n) {
  const Scalar s = Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype);
  return fmt::format("{}", s.as_double());
}

}  // namespace

Recorder::Recorder(Mode mode) : mode_(mode) {
  TG_CHECK(active == nullptr, "recorders do not nest");
  active = this;
}

Recorder::~Recorder() { active = nullptr; }

Recorder* Recorder::current() { return active; }

void Recorder::add_run(const CanonicalGraph& graph, std::shared_ptr<const Plan> plan,
                       std::vector<Ref<Buffer>> storage) {
  RecordedPrint print;
  for (const Node* n : toposort(graph.sink)) {
    print.structure = hash_combine(
        print.structure, static_cast<uint64_t>(n->op) * 64 + static_cast<uint64_t>(n->dtype));
    if (n->op == Op::Const) {
      print.numbers.push_back(number_text(n));
    } else {
      for (int64_t a : n->arg())
        print.structure = hash_combine(print.structure, static_cast<uint64_t>(a));
    }
  }
  prints_.push_back(std::move(print));
  for (const Ref<Buffer>& b : storage) storage_.insert(b.get());
  if (mode_ == Mode::Record) runs_.push_back({std::move(plan), std::move(storage), graph.bindings});
}

void Recorder::add_draw(Ref<Buffer> state, int64_t numbers) {
  if (mode_ == Mode::Record) draws_.push_back({std::move(state), numbers});
}

void Recorder::add_data(std::span<const std::byte> data, const std::string& what) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  prints_.push_back({hash_mix(data.size()), {what, hash_bytes(text).hex()}, true});
}

std::string recorded_difference(std::span<const RecordedPrint> first,
                                std::span<const RecordedPrint> second) {
  if (first.size() != second.size()) return {};
  std::string found;
  for (size_t i = 0; i < first.size(); ++i) {
    const RecordedPrint &a = first[i], &b = second[i];
    if (a.structure != b.structure || a.numbers.size() != b.numbers.size()) return {};
    if (!found.empty() || a.numbers == b.numbers) continue;
    const auto at = std::ranges::mismatch(a.numbers, b.numbers).in1 - a.numbers.begin();
    const auto k = static_cast<size_t>(at);
    found = a.is_data && k != 0 ? fmt::format("the contents of {} changed", a.numbers[0])
                                : fmt::format("{} became {}", a.numbers[k], b.numbers[k]);
  }
  return found;
}

}  // namespace tg
