// See phased_program.h.
#include "engine/phased_program.h"

#include <utility>

namespace tg {
namespace {

// Frees what it holds when the launch ends, however it ends.
class LaunchMemory {
 public:
  explicit LaunchMemory(Allocator& allocator) : allocator_(allocator) {}
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;
  ~LaunchMemory() {
    for (const Allocation& a : held_) allocator_.free(a);
  }
  void* allocate(int64_t bytes) {
    held_.reserve(held_.size() + 1);
    held_.push_back(allocator_.allocate(bytes));
    return held_.back().data;
  }

 private:
  Allocator& allocator_;
  std::vector<Allocation> held_;
};

}  // namespace

void PhasedProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  LaunchMemory memory(device_.allocator());
  std::vector<void*> all(buffers.begin(), buffers.end());
  all.resize(first_workspace_, nullptr);
  for (int64_t bytes : workspace_bytes_) all.push_back(memory.allocate(bytes));
  for (const Phase& p : phases_) p.program->launch(std::span(all).first(p.parameters), vars);
  device_.synchronize();
}

Ref<Program> program_of_phases(Device& device, std::vector<Phase> phases, size_t first_workspace,
                               std::vector<int64_t> workspace_bytes) {
  if (phases.size() == 1 && workspace_bytes.empty()) return std::move(phases.front().program);
  return Ref<Program>::adopt(
      new PhasedProgram(device, std::move(phases), first_workspace, std::move(workspace_bytes)));
}

}  // namespace tg
