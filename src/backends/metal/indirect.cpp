// See indirect.h.
#include "backends/metal/indirect.h"

#include <algorithm>
#include <cstring>

#include "support/log.h"

namespace tg::metal {
namespace {

constexpr size_t kLeastCalls = 2;
constexpr size_t kMostCalls = 16384;         // that some devices run of one buffer
constexpr uint64_t kMostBuffers = 31;        // of a kernel
constexpr uint64_t kNumbersAlignment = 256;  // of offsets into constant memory, on every device
/// Before it a device runs no pipeline of recorded commands that the encoder has not named.
constexpr int kFamilyThatFindsPipelines = 9;
constexpr Size kNothing{.width = 0, .height = 0, .depth = 0};

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

IndirectReplay::IndirectReplay(const Session& session, const DeviceFacts& facts,
                               const CallSequence& sequence)
    : RecordedReplay(sequence), session_(session), parts_(sequence) {
  for (size_t i = 0; i < sequence.calls.size(); ++i) {
    const Dispatch d = bind(sequence.calls[i]);
    if (i == 0) first_name_ = d.name;
    places_.push_back(numbers_bytes_);
    const uint64_t bytes = std::span(d.numbers).size_bytes();
    numbers_bytes_ += (bytes + kNumbersAlignment - 1) / kNumbersAlignment * kNumbersAlignment;
    if (facts.family < kFamilyThatFindsPipelines) pipelines_.push_back(d.pipeline);
    if (!std::ranges::binary_search(sequence.varying, i)) add_buffers(d, fixed_);
  }
  remove_duplicates(fixed_);
  remove_duplicates(pipelines_);
}

std::unique_ptr<Replay> IndirectReplay::record(const Session& session, const DeviceFacts& facts,
                                               const CallSequence& sequence) {
  if (sequence.calls.size() < kLeastCalls || sequence.calls.size() > kMostCalls) return nullptr;
  const Pool pool(session.objc);
  std::unique_ptr<IndirectReplay> replay(new IndirectReplay(session, facts, sequence));
  for (size_t i = 0; i < replay->copies(); ++i) {
    if (!replay->make(replay->copies_[i])) {
      debug_log(1, "METAL: {} records no commands, captured kernels are launched one by one",
                session.device_name);
      return nullptr;
    }
  }
  replay->RecordedReplay::record();
  return replay;
}

Dispatch IndirectReplay::bind(const Call& c) const {
  return static_cast<const MetalProgram*>(c.program)->dispatch(c.buffers, c.vars);
}

bool IndirectReplay::make(Copy& copy) const {
  const Objc& objc = session_.objc;
  const Owned d = objc.make("MTLIndirectCommandBufferDescriptor");
  if (!d || !objc.responds(d.get(), objc.set_max_kernel_buffers)) return false;
  objc.set_command_types(d.get(), kCommandDispatch);
  objc.set_inherit_buffers(d.get(), 0);
  objc.set_inherit_pipeline(d.get(), 0);
  objc.set_max_kernel_buffers(d.get(), kMostBuffers);
  copy.commands = Owned(objc, objc.new_indirect_commands(session_.device, d.get(),
                                                         sequence().calls.size(), kStorageShared));
  copy.numbers = Owned(objc, objc.new_buffer(session_.device, numbers_bytes_, kStorageShared));
  return copy.commands && copy.numbers;
}

void IndirectReplay::write(size_t copy, size_t call, const Dispatch& d, const Dispatch* before) {
  const Objc& objc = session_.objc;
  const Pool pool(objc);
  auto* command = objc.indirect_command_at(copies_[copy].commands.get(), call);
  const auto bind = [&](Object* buffer, uint64_t offset, size_t index) {
    objc.set_kernel_buffer(command, buffer, offset, index);
  };
  const bool is_new = before == nullptr;
  if (is_new) objc.set_pipeline(command, d.pipeline);
  for (size_t i = 0; i < d.buffers.size(); ++i) {
    const BlockPlace& b = d.buffers[i];
    if (b.handle != nullptr && (is_new || b != before->buffers[i]))
      bind(static_cast<Object*>(b.handle), static_cast<uint64_t>(b.offset), i);
  }
  if (is_new) bind(copies_[copy].numbers.get(), places_[call], d.buffers.size());
  std::memcpy(objc.contents(copies_[copy].numbers.get()) + places_[call], d.numbers.data(),
              std::span(d.numbers).size_bytes());
  if (is_new || d.groups != before->groups)
    objc.concurrent_dispatch(command, Size::line(d.groups), Size::line(d.group_size));
  if (is_new && parts_.waits[call]) objc.set_barrier(command);
}

// Parts, whose commands wait for those before them or need not, stand between barriers.
uint64_t IndirectReplay::launch(size_t copy, const std::vector<Dispatch>& written) {
  const Objc& objc = session_.objc;
  std::vector<Object*> resources = fixed_;
  resources.push_back(copies_[copy].numbers.get());
  for (const Dispatch& d : written) add_buffers(d, resources);
  return session_.queue.launch(first_name_, sequence().calls.size(), true, [&](Object* encoder) {
    objc.use_resources(encoder, resources.data(), resources.size(), kReadAndWritten);
    for (Object* pipeline : pipelines_) {
      objc.set_pipeline(encoder, pipeline);
      objc.dispatch(encoder, kNothing, kNothing);
    }
    for (const LaunchPart& part : parts_.parts) {
      if (part.first != 0) session_.queue.barrier(encoder);
      objc.execute_indirect(encoder, copies_[copy].commands.get(), Range{part.first, part.count});
    }
  });
}

}  // namespace tg::metal
