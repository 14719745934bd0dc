// See launch.h.
#include "runner/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "runner/fiber.h"
#include "shim/host.h"
#include "support/check.h"

namespace tg::emulator {
namespace {

using Clock = std::chrono::steady_clock;
using Fibers = std::vector<std::unique_ptr<Fiber>>;
using Words = std::array<uint64_t, kMostWords>;

enum class State : uint8_t { Ready, AtBarrier, AtSubgroupBarrier, Ended };

// Bytes that were copied and have not arrived.
struct Copied {
  void* to;
  unsigned bytes;
  std::array<char, 16> data;
};

struct WorkItem {
  std::vector<Copied> batch;                 // begun since the last wait for copies
  std::vector<std::vector<Copied>> batches;  // that are on their way, oldest first
  std::unique_ptr<Fiber> fiber;              // while it runs or waits
  Agent agent;
  State state = State::Ready;
  int line = 0;       // of what it waits at
  uint64_t mask = 0;  // lanes of a subgroup's barrier
  int fences = 0;     // what the barrier orders
  unsigned subgroup_barriers = 0;
};

// Registers and stack slots are words, and who is called with more of them than it has does not
// look at the rest.
template <size_t... K>
void call_with(void* entry, const Words& w, std::index_sequence<K...>) {
  using Entry = void (*)(decltype(static_cast<void>(K), uint64_t{})...);
  reinterpret_cast<Entry>(entry)(w[K]...);
}

class Launch {
 public:
  Launch(const Code& code, std::span<const Argument> arguments, const Shape& shape, Fibers& spare)
      : code_(code), shape_(shape), spare_(spare), deadline_(Clock::now() + shape.limit) {
    TG_CHECK(
        shape.group_size >= 1 && shape.group_size <= 1024 && shape.lanes >= 1 && shape.lanes <= 64,
        "{}: {} work-items in subgroups of {}", code.name, shape.group_size, shape.lanes);
    host_ = {.self = this,
             .barrier = [](void* s, int line, int fences) { self(s).barrier(line, fences); },
             .subgroup_barrier =
                 [](void* s, const void* mine, unsigned bytes, unsigned long mask, int fences,
                    int line) { return self(s).subgroup_barrier(mine, bytes, mask, fences, line); },
             .begin_copy = [](void* s, void* to, const void* from, unsigned bytes,
                              bool whether) { self(s).begin_copy(to, from, bytes, whether); },
             .arrive = [](void* s, unsigned on_their_way) { self(s).arrive(on_their_way); },
             .access = [](void* s, const void* at, unsigned long bytes,
                          bool writes) { self(s).access(at, bytes, writes); },
             .misaligned = [](void* s, const void* at, unsigned long alignment,
                              int line) { self(s).misaligned(at, alignment, line); },
             .steps = [](void* s) { self(s).look_at_clock(); }};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& a = arguments[i];
      arguments_.push_back(a.word);
      if (a.bytes >= 0)
        memory_.add(fmt::format("argument {}", i), reinterpret_cast<void*>(a.word), a.bytes,
                    a.written, Memory::Kind::Global);
    }
    for (const Code::Local& l : code.locals)
      memory_.add(fmt::format("local array {}", l.name), l.data,
                  l.by_launch ? shape.local_bytes : l.bytes, true, Memory::Kind::Local);
    memory_.ready();
    work_items_ = std::vector<WorkItem>(static_cast<size_t>(shape.group_size));
    slots_.resize(2 * work_items_.size() * TG_SLOT_BYTES);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  ~Launch() {
    for (WorkItem& i : work_items_) {
      if (i.fiber) spare_.push_back(std::move(i.fiber));
    }
  }

  std::string run() {
    here_ = code_.bind(&host_);
    for (int64_t g = 0; g < shape_.groups && fault_.empty(); ++g) run_group(g);
    return fault_;
  }

 private:
  static Launch& self(void* s) { return *static_cast<Launch*>(s); }

  void run_group(int64_t group) {
    group_ = group;
    ++stamp_;
    memory_.begin_group(stamp_);
    for (size_t i = 0; i < work_items_.size(); ++i) {
      WorkItem& work_item = work_items_[i];
      work_item.agent = {.work_item = static_cast<uint32_t>(i),
                         .lanes = static_cast<uint32_t>(shape_.lanes),
                         .now = stamp_,
                         .since_group = {stamp_, stamp_},
                         .since_subgroup = {stamp_, stamp_}};
      work_item.state = State::Ready;
      work_item.subgroup_barriers = 0;
      work_item.batch.clear();
      work_item.batches.clear();
    }
    while (fault_.empty() && run_ready() && fault_.empty()) release();
  }

  // Each work-item that can go on does, until it waits or ends. False when all have ended.
  bool run_ready() {
    bool alive = false;
    for (WorkItem& work_item : work_items_) {
      if (work_item.state == State::Ready) {
        current_ = &work_item;
        place(work_item);
        if (!work_item.fiber) begin(work_item);
        work_item.fiber->resume();
        if (!fault_.empty()) return true;
        if (work_item.state == State::Ended) spare_.push_back(std::move(work_item.fiber));
      }
      alive = alive || work_item.state != State::Ended;
    }
    return alive;
  }

  // Work-items that end without waiting follow each other on one stack.
  void begin(WorkItem& work_item) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Fiber>());
    work_item.fiber = std::move(spare_.back());
    spare_.pop_back();
    work_item.fiber->start([](void* launch) { self(launch).work_item_body(); }, this);
  }

  void place(const WorkItem& work_item) const {
    const auto lanes = static_cast<uint32_t>(shape_.lanes);
    *here_ = {.work_item = work_item.agent.work_item,
              .group_size = static_cast<unsigned>(shape_.group_size),
              .group = static_cast<unsigned>(group_),
              .groups = static_cast<unsigned>(shape_.groups),
              .lane = work_item.agent.work_item % lanes,
              .lanes = lanes};
  }

  void work_item_body() {
    Words words{};
    if (code_.parameters.empty()) {
      std::ranges::copy(arguments_, words.begin());
    } else {
      for (size_t i = 0; i < code_.parameters.size(); ++i) words[i] = word(code_.parameters[i]);
    }
    call_with(code_.entry, words, std::make_index_sequence<kMostWords>());
    settle();
    if (!current_->batch.empty() || !current_->batches.empty())
      report("ends before all that it copies has arrived");
    current_->state = State::Ended;
    current_->fiber->pause();
  }

  uint64_t word(const Parameter& p) const {
    const tg_place& here = *here_;
    switch (p.role) {
      case Role::Word:
        return arguments_[p.number];
      case Role::WorkItem:
        return here.work_item;
      case Role::GroupSize:
        return here.group_size;
      case Role::Group:
        return here.group;
      case Role::Groups:
        return here.groups;
      case Role::Lane:
        return here.lane;
      case Role::Lanes:
        return here.lanes;
      case Role::Subgroup:
        return here.work_item / here.lanes;
      case Role::GlobalWorkItem:
        return uint64_t{here.group} * here.group_size + here.work_item;
    }
    return 0;
  }

  // ---- from inside a work-item
  void report(const std::string& what) {
    fault_ = fmt::format("kernel {}: work-item {} of group {} {}", code_.name,
                         current_->agent.work_item, group_, what);
  }
  // The work-item is left where it is if it did something wrong. Nobody ends what stands on its
  // stack, so nothing there may own memory.
  void stop_if_wrong() {
    if (!fault_.empty()) current_->fiber->pause();
  }

  // What the access before this moment wrote.
  void settle() {
    if (memory_.is_settled()) return;
    if (const std::string wrong = memory_.settle(); !wrong.empty()) report(wrong);
    stop_if_wrong();
  }

  void wait(State state, int line, int fences) {
    settle();
    current_->state = state;
    current_->line = line;
    current_->fences = fences;
    current_->fiber->pause();
  }

  void barrier(int line, int fences) { wait(State::AtBarrier, line, fences); }

  const char* subgroup_barrier(const void* mine, unsigned bytes, uint64_t mask, int fences,
                               int line) {
    WorkItem& work_item = *current_;
    const uint32_t lane = work_item.agent.work_item % work_item.agent.lanes;
    if (bytes > TG_SLOT_BYTES) report(fmt::format("brings {} bytes to a barrier", bytes));
    const uint64_t there = lanes_of_subgroup(work_item);
    if (mask == ~uint64_t{0}) mask = there;
    if ((mask >> lane & 1) == 0 || (mask & ~there) != 0)
      report(fmt::format("waits for lanes {:#x} in line {}; it is lane {}, lanes {:#x} exist", mask,
                         line, lane, there));
    stop_if_wrong();
    char* table = slots_.data() + (work_item.subgroup_barriers++ % 2 * work_items_.size() +
                                   (work_item.agent.work_item - lane)) *
                                      TG_SLOT_BYTES;
    std::memcpy(table + size_t{lane} * TG_SLOT_BYTES, mine, bytes);
    work_item.mask = mask;
    wait(State::AtSubgroupBarrier, line, fences);
    return table;
  }

  uint64_t lanes_of_subgroup(const WorkItem& work_item) const {
    const size_t first =
        work_item.agent.work_item - work_item.agent.work_item % work_item.agent.lanes;
    const size_t count = std::min<size_t>(work_items_.size() - first, work_item.agent.lanes);
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  }

  void access(const void* address, unsigned long bytes, bool writes) {
    settle();
    check_access(address, static_cast<int64_t>(bytes), writes);
    stop_if_wrong();
  }

  void check_access(const void* address, int64_t bytes, bool writes) {
    bool known = false;
    const std::string wrong = memory_.touch(current_->agent, address, bytes, writes, known);
    if (!wrong.empty()) return report(wrong);
    if (!known && !is_own(address)) report(memory_.outside(address, bytes, writes));
  }

  // A work-item's own variables, what was brought to a subgroup's barrier, tables of the module;
  // but not what lies next to local arrays.
  bool is_own(const void* address) const {
    const auto* p = static_cast<const char*>(address);
    const auto within = [p](const char* begin, int64_t bytes) {
      return p >= begin && p < begin + bytes;
    };
    if (current_->fiber->owns(p) || within(slots_.data(), static_cast<int64_t>(slots_.size())))
      return true;
    return within(code_.image_begin, code_.image_end - code_.image_begin) &&
           std::ranges::none_of(code_.locals, [&](const Code::Local& l) {
             return within(l.data, l.bytes + kRedZone);
           });
  }

  // Where it goes counts as written now and when it arrives; in between it holds nothing.
  void begin_copy(void* to, const void* from, unsigned bytes, bool whether) {
    Copied copied{.to = to, .bytes = bytes, .data = {}};
    const auto aligned = [&](const void* p) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; };
    if (bytes > copied.data.size() || !aligned(to) || !aligned(from))
      report(fmt::format("copies {} bytes between addresses that are no multiples of them", bytes));
    stop_if_wrong();
    if (whether) {
      access(from, bytes, false);
      std::memcpy(copied.data.data(), from, bytes);
    }
    access(to, bytes, true);
    memory_.forget(to, bytes);
    current_->batch.push_back(copied);
  }

  void arrive(unsigned on_their_way) {
    std::vector<std::vector<Copied>>& batches = current_->batches;
    batches.push_back(std::move(current_->batch));
    current_->batch.clear();
    while (batches.size() > on_their_way) {
      for (const Copied& c : batches.front()) {
        access(c.to, c.bytes, true);
        std::memcpy(c.to, c.data.data(), c.bytes);
      }
      batches.erase(batches.begin());
    }
  }

  void misaligned(const void* address, unsigned long alignment, int line) {
    settle();
    report(fmt::format("uses {} in line {}, whose address is no multiple of {}",
                       memory_.place(static_cast<const char*>(address)), line, alignment));
    stop_if_wrong();
  }

  void look_at_clock() {
    if (Clock::now() < deadline_) return;
    report(fmt::format("hangs: the kernel runs longer than {} ms", shape_.limit.count()));
    stop_if_wrong();
  }

  // ---- barriers
  // Lets go on who has arrived with all that it waits for; a fault if nobody can.
  void release() {
    const auto waits = [&](State s) {
      return std::ranges::all_of(work_items_, [&](const WorkItem& i) { return i.state == s; });
    };
    if (waits(State::AtBarrier) && std::ranges::all_of(work_items_, [&](const WorkItem& i) {
          return i.line == work_items_[0].line;
        })) {
      ++stamp_;
      int fences = TG_ALL_MEMORY;
      for (const WorkItem& i : work_items_) fences &= i.fences;
      for (WorkItem& i : work_items_) {
        i.state = State::Ready;
        i.agent.now = stamp_;
        order(fences, i.agent.since_group);
        order(fences, i.agent.since_subgroup);
      }
      return;
    }
    bool some = false;
    for (WorkItem& i : work_items_) some = release_subgroup_barrier(i) || some;
    if (!some) fault_ = divergence();
  }

  // What was done before this moment to these kinds of memory is over.
  void order(int fences, Agent::Stamps& since) const {
    if ((fences & TG_GLOBAL) != 0) since[static_cast<size_t>(MemoryKind::Global)] = stamp_;
    if ((fences & TG_LOCAL) != 0) since[static_cast<size_t>(MemoryKind::Local)] = stamp_;
  }

  bool release_subgroup_barrier(WorkItem& of) {
    if (of.state != State::AtSubgroupBarrier) return of.state == State::Ready;
    const size_t first = of.agent.work_item - of.agent.work_item % of.agent.lanes;
    const auto each = [&](auto&& f) {
      for (size_t lane = 0; lane < of.agent.lanes; ++lane) {
        if ((of.mask >> lane & 1) != 0 && !f(work_items_[first + lane])) return false;
      }
      return true;
    };
    const uint64_t mask = of.mask;
    const int line = of.line;
    if (!each([&](const WorkItem& i) {
          return i.state == State::AtSubgroupBarrier && i.mask == mask && i.line == line;
        }))
      return false;
    ++stamp_;
    int fences = TG_ALL_MEMORY;
    each([&](const WorkItem& i) {
      fences &= i.fences;
      return true;
    });
    return each([&](WorkItem& i) {
      i.state = State::Ready;
      if (fences != 0) i.agent.now = stamp_;
      order(fences, i.agent.since_subgroup);
      return true;
    });
  }

  std::string divergence() const {
    std::string out =
        fmt::format("kernel {}: the work-items of group {} part ways:", code_.name, group_);
    for (size_t i = 0; i < work_items_.size();) {
      size_t end = i;
      while (end < work_items_.size() && work_items_[end].state == work_items_[i].state &&
             (work_items_[i].state == State::Ended || work_items_[end].line == work_items_[i].line))
        ++end;
      out += i == 0 ? " " : ", ";
      out += end - i == 1 ? fmt::format("work-item {} ", i)
                          : fmt::format("work-items {} to {} ", i, end - 1);
      const WorkItem& work_item = work_items_[i];
      out += work_item.state == State::Ended ? "ended"
             : work_item.state == State::AtBarrier
                 ? fmt::format("at the barrier of line {}", work_item.line)
                 : fmt::format("at the barrier of lanes {:#x} in line {}", work_item.mask,
                               work_item.line);
      i = end;
    }
    return out;
  }

  const Code& code_;
  const Shape shape_;
  Fibers& spare_;
  tg_place* here_ = nullptr;
  const Clock::time_point deadline_;
  tg_host host_{};
  std::vector<uint64_t> arguments_;
  Memory memory_;
  std::vector<WorkItem> work_items_;
  std::vector<char> slots_;
  WorkItem* current_ = nullptr;
  int64_t group_ = 0;
  uint32_t stamp_ = 0;
  std::string fault_;
};

// What does not fit between the kernel's function and the launch; or nothing.
std::string mismatch(const Code& code, std::span<const Argument> arguments, const Shape& shape) {
  if (std::max(arguments.size(), code.parameters.size()) > kMostWords)
    return fmt::format("kernel {}: {} arguments, at most {} are possible", code.name,
                       arguments.size(), kMostWords);
  for (const Parameter& p : code.parameters) {
    if (p.role == Role::Word && p.number >= arguments.size())
      return fmt::format("kernel {}: it wants argument {}, there are {}", code.name, p.number,
                         arguments.size());
    if (p.role == Role::Word && p.takes != Takes::Anything &&
        (p.takes == Takes::Array) != (arguments[p.number].bytes >= 0))
      return fmt::format("kernel {}: argument {} is {}, and it wants {}", code.name, p.number,
                         p.takes == Takes::Array ? "a value" : "an array",
                         p.takes == Takes::Array ? "an array" : "a value");
  }
  for (const Code::Local& l : code.locals) {
    if (l.by_launch && shape.local_bytes > l.bytes)
      return fmt::format("kernel {}: launched with {} bytes of local memory, a group has {}",
                         code.name, shape.local_bytes, l.bytes);
  }
  if (code.group_size != 0 && code.group_size != shape.group_size)
    return fmt::format("kernel {}: launched with {} work-items, and it wants {}", code.name,
                       shape.group_size, code.group_size);
  return {};
}

}  // namespace

std::string run(const Code& code, std::span<const Argument> arguments, const Shape& shape) {
  if (std::string wrong = mismatch(code, arguments, shape); !wrong.empty()) return wrong;
  // Local arrays are variables of the module, so its launches follow each other; stacks are kept,
  // for making one takes longer than most work-items.
  static std::mutex one_launch;
  static Fibers spare;
  const std::lock_guard lock(one_launch);
  return Launch(code, arguments, shape, spare).run();
}

}  // namespace tg::emulator
