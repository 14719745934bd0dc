// See indirect.h.
#include "backends/metal/indirect.h"

#include <algorithm>
#include <cstring>

#include "support/log.h"
#include "tg/error.h"

namespace tg::metal {
namespace {

constexpr size_t kLeastCalls = 2;
constexpr size_t kMostCalls = 16384;         // that some devices run of one buffer
constexpr uint64_t kMostBuffers = 31;        // of a kernel
constexpr uint64_t kNumbersAlignment = 256;  // of offsets into constant memory, on every device
/// Before it a device runs no pipeline of recorded commands that the encoder has not named.
constexpr int kFamilyThatFindsPipelines = 9;

void remove_duplicates(std::vector<Object*>& objects) {
  std::ranges::sort(objects);
  objects.erase(std::ranges::unique(objects).begin(), objects.end());
}

void add_buffers(const Dispatch& d, std::vector<Object*>& to) {
  for (const BlockPlace& b : d.buffers) {
    if (b.handle != nullptr) to.push_back(static_cast<Object*>(b.handle));
  }
}

}  // namespace

IndirectReplay::IndirectReplay(const Session& session, const CallSequence& sequence)
    : session_(session), sequence_(sequence) {}

IndirectReplay::~IndirectReplay() {
  try {
    for (const Copy& c : copies_) session_.queue.wait_for(c.last_run);
  } catch (const DeviceError&) {
    // Nobody is left to hear it.
  }
}

std::unique_ptr<Replay> IndirectReplay::record(const Session& session, const DeviceFacts& facts,
                                               const CallSequence& sequence) {
  if (sequence.calls.size() < kLeastCalls || sequence.calls.size() > kMostCalls) return nullptr;
  std::unique_ptr<IndirectReplay> replay(new IndirectReplay(session, sequence));
  const Pool pool(session.objc);
  replay->plan(facts);
  const size_t copies = sequence.varying.empty() ? 1 : replay->copies_.size();
  for (size_t i = 0; i < copies; ++i) {
    if (!replay->make(replay->copies_[i])) {
      debug_log(1, "METAL: {} records no commands, captured kernels are launched one by one",
                session.device_name);
      return nullptr;
    }
    replay->write_all(replay->copies_[i]);
  }
  return replay;
}

Dispatch IndirectReplay::dispatch(size_t call) const {
  const Call& c = sequence_.calls[call];
  return static_cast<const MetalProgram*>(c.program)->dispatch(c.buffers, c.vars);
}

// A kernel that runs alone waits for the command before it. Kernels that run side by side are a
// part of their own, whose commands do not wait, between barriers of the encoder.
void IndirectReplay::plan(const DeviceFacts& facts) {
  size_t begin = 0;
  bool joins = false;  // may the next kernel be one of the last part?
  waits_.resize(sequence_.calls.size());
  for (const size_t end : sequence_.ends) {
    const bool alone = end - begin == 1;
    waits_[begin] = alone && joins;
    if (alone && joins) {
      ++parts_.back().count;
    } else {
      parts_.push_back({begin, end - begin});
    }
    joins = alone;
    begin = end;
  }
  auto varying = sequence_.varying.begin();
  for (size_t i = 0; i < sequence_.calls.size(); ++i) {
    const Dispatch d = dispatch(i);
    if (i == 0) first_name_ = d.name;
    places_.push_back(numbers_bytes_);
    const uint64_t bytes = std::span(d.numbers).size_bytes();
    numbers_bytes_ += (bytes + kNumbersAlignment - 1) / kNumbersAlignment * kNumbersAlignment;
    if (facts.family < kFamilyThatFindsPipelines) pipelines_.push_back(d.pipeline);
    if (varying != sequence_.varying.end() && *varying == i) {
      ++varying;
    } else {
      add_buffers(d, fixed_);
    }
  }
  remove_duplicates(fixed_);
  remove_duplicates(pipelines_);
}

bool IndirectReplay::make(Copy& copy) const {
  const Objc& objc = session_.objc;
  const Owned d(
      objc, objc.send<Object*>(objc.class_of("MTLIndirectCommandBufferDescriptor"), Message::New));
  if (!d || !objc.responds(d.get(), Message::SetMaxKernelBuffers)) return false;
  objc.send(d.get(), Message::SetCommandTypes, kCommandDispatch);
  objc.send(d.get(), Message::SetInheritBuffers, uint8_t{0});
  objc.send(d.get(), Message::SetInheritPipeline, uint8_t{0});
  objc.send(d.get(), Message::SetMaxKernelBuffers, kMostBuffers);
  copy.commands =
      Owned(objc, objc.send<Object*>(session_.device, Message::NewIndirectCommands, d.get(),
                                     uint64_t{sequence_.calls.size()}, kStorageShared));
  copy.numbers = Owned(objc, objc.send<Object*>(session_.device, Message::NewBuffer, numbers_bytes_,
                                                kStorageShared));
  return copy.commands && copy.numbers;
}

// `before`: what the command says; null: nothing yet.
void IndirectReplay::write(const Copy& copy, size_t call, const Dispatch& d,
                           const Dispatch* before) const {
  const Objc& objc = session_.objc;
  auto* command =
      objc.send<Object*>(copy.commands.get(), Message::IndirectCommandAt, uint64_t{call});
  const auto bind = [&](Object* buffer, uint64_t offset, size_t index) {
    objc.send(command, Message::SetKernelBuffer, buffer, offset, uint64_t{index});
  };
  const bool is_new = before == nullptr;
  if (is_new) objc.send(command, Message::SetPipeline, d.pipeline);
  for (size_t i = 0; i < d.buffers.size(); ++i) {
    const BlockPlace& b = d.buffers[i];
    if (b.handle != nullptr && (is_new || b != before->buffers[i]))
      bind(static_cast<Object*>(b.handle), static_cast<uint64_t>(b.offset), i);
  }
  if (is_new) bind(copy.numbers.get(), places_[call], d.buffers.size());
  std::memcpy(objc.send<char*>(copy.numbers.get(), Message::Contents) + places_[call],
              d.numbers.data(), std::span(d.numbers).size_bytes());
  if (is_new || d.groups != before->groups)
    objc.send(command, Message::ConcurrentDispatch, Size{.width = static_cast<uint64_t>(d.groups)},
              Size{.width = static_cast<uint64_t>(d.items)});
  if (is_new && waits_[call]) objc.send(command, Message::SetBarrier);
}

void IndirectReplay::write_all(Copy& copy) {
  copy.destroyed = session_.allocator.destroyed();
  auto varying = sequence_.varying.begin();
  for (size_t i = 0; i < sequence_.calls.size(); ++i) {
    Dispatch d = dispatch(i);
    write(copy, i, d, nullptr);
    if (varying == sequence_.varying.end() || *varying != i) continue;
    copy.written.push_back(std::move(d));
    ++varying;
  }
}

// What the device may still read is not written before it has. A buffer that is gone may have had
// the handle of one that is there now.
void IndirectReplay::update(Copy& copy) {
  bool is_mine = false;
  const uint64_t destroyed = session_.allocator.destroyed();
  const bool is_current = destroyed == copy.destroyed;
  for (size_t v = 0; v < sequence_.varying.size(); ++v) {
    Dispatch d = dispatch(sequence_.varying[v]);
    if (is_current && d == copy.written[v]) continue;
    if (!is_mine) session_.queue.wait_for(copy.last_run);
    is_mine = true;
    write(copy, sequence_.varying[v], d, is_current ? &copy.written[v] : nullptr);
    copy.written[v] = std::move(d);
  }
  copy.destroyed = destroyed;
}

void IndirectReplay::run() {
  const Pool pool(session_.objc);
  Copy& copy = copies_[next_];
  if (!sequence_.varying.empty()) next_ = 1 - next_;
  update(copy);
  std::vector<Object*> resources = fixed_;
  resources.push_back(copy.numbers.get());
  for (const Dispatch& d : copy.written) add_buffers(d, resources);
  copy.last_run = session_.queue.launch({.name = first_name_,
                                         .commands = copy.commands.get(),
                                         .parts = parts_,
                                         .resources = resources,
                                         .pipelines = pipelines_});
}

}  // namespace tg::metal
