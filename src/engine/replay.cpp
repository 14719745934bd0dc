// See replay.h.
#include "engine/replay.h"

#include <algorithm>

#include "engine/launch.h"
#include "engine/phased_program.h"

namespace tg {

void ReplaySteps::Sequence::add(const Call& call, bool varies) {
  if (varies) varying.push_back(calls.size());
  calls.push_back(call);
}

void ReplaySteps::Sequence::run() {
  if (!replay) replay = device->prepare({calls, ends, varying});
  replay->run();
}

// The one that is being made, if it is on this device.
ReplaySteps::Sequence& ReplaySteps::sequence_on(Device& device) {
  if (!steps_.empty()) {
    auto* last = std::get_if<Sequence>(&steps_.back());
    if (last != nullptr && last->device == &device) return *last;
  }
  Sequence fresh;
  fresh.device = &device;
  return std::get<Sequence>(steps_.emplace_back(std::move(fresh)));
}

void ReplaySteps::add_copy(Device& to, Device& from, void* const* pointers, int64_t bytes) {
  steps_.emplace_back(Copy{&to, &from, pointers, bytes});
}

void ReplaySteps::add_launch(Device& device, std::span<const Call> calls,
                             std::span<const ReadyKernelRef> kernels,
                             FunctionRef<bool(const Call&)> varies) {
  const bool alone = kernels.size() == 1 && kernels[0]->runs_alone;
  const auto* phased = alone ? dynamic_cast<const PhasedProgram*>(calls[0].program) : nullptr;
  if (alone && phased == nullptr) {
    steps_.emplace_back(calls[0]);
    return;
  }
  Sequence& sequence = sequence_on(device);
  if (phased == nullptr) {
    for (const Call& c : calls) sequence.add(c, varies(c));
    sequence.ends.push_back(sequence.calls.size());
    return;
  }
  for (const Phase& p : phased->phases()) {
    const Call phase{p.program.get(), {calls[0].buffers.data(), p.parameters}, calls[0].vars};
    sequence.add(phase, varies(phase));
    sequence.ends.push_back(sequence.calls.size());
  }
}

void ReplaySteps::run() {
  for (auto& step : steps_) {
    if (auto* sequence = std::get_if<Sequence>(&step)) {
      sequence->run();
    } else if (const auto* copy = std::get_if<Copy>(&step)) {
      copy_between(*copy->to, {copy->pointers[0], copy->bytes}, *copy->from,
                   {copy->pointers[1], copy->bytes});
    } else {
      const Call& call = std::get<Call>(step);
      call.program->launch(call.buffers, call.vars);
    }
  }
}

int64_t ReplaySteps::sequences() const {
  return std::ranges::count_if(
      steps_, [](const auto& step) { return std::holds_alternative<Sequence>(step); });
}

}  // namespace tg
