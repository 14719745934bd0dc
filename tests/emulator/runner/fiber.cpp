// See fiber.h. A switch saves what a called function must keep, changes the stack and restores: a
// few nanoseconds, where the system's swapcontext makes a system call. Machines other than x86-64
// and 64-bit ARM use the latter.
#include "runner/fiber.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "support/check.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#define TG_UCONTEXT 1
#include <ucontext.h>
#endif

namespace tg::emulator {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // touched pages only take memory

// A stack with a page below it that nobody may touch.
class Stack {
 public:
  Stack() : guard_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    void* p = mmap(nullptr, guard_ + kStackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    mprotect(p, guard_, PROT_NONE);
    memory_ = static_cast<char*>(p);
  }
  ~Stack() {
    forget_frames();
    munmap(memory_, guard_ + kStackBytes);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  char* bottom() const { return memory_ + guard_; }
  char* top() const { return bottom() + kStackBytes; }
  // AddressSanitizer keeps what it knows of frames that were left without a return.
  void forget_frames() const { ASAN_UNPOISON_MEMORY_REGION(bottom(), kStackBytes); }

 private:
  size_t guard_;
  char* memory_;
};

}  // namespace

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" {
/// Saves the present place to *from and goes on at `to`.
void tg_emulator_switch(void** from, void* to);
/// Where a new fiber begins: calls the function in a saved register.
void tg_emulator_begin();
}

#if defined(__x86_64__)
asm(R"(
.text
.globl tg_emulator_switch
.type tg_emulator_switch, @function
tg_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tg_emulator_switch, .-tg_emulator_switch
.globl tg_emulator_begin
.type tg_emulator_begin, @function
tg_emulator_begin:
  movq %r13, %rdi
  callq *%r12
  ud2
.size tg_emulator_begin, .-tg_emulator_begin
)");
#else
asm(R"(
.text
.globl tg_emulator_switch
.type tg_emulator_switch, %function
tg_emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size tg_emulator_switch, .-tg_emulator_switch
.globl tg_emulator_begin
.type tg_emulator_begin, %function
tg_emulator_begin:
  mov x0, x20
  blr x19
  brk #1
.size tg_emulator_begin, .-tg_emulator_begin
)");
#endif

struct Fiber::State {
  Stack stack;
  void* inside = nullptr;  // stack pointers of who does not run
  void* outside = nullptr;
};

// The stack looks as the switch leaves one: the registers that it restores, then where it returns.
void Fiber::start(Function* f, void* argument) {
  state_->stack.forget_frames();
  auto* top = reinterpret_cast<uintptr_t*>(state_->stack.top());
#if defined(__x86_64__)
  uintptr_t* at = top - 9;  // so that the call of the function finds the stack aligned
  for (uintptr_t* p = at; p < top; ++p) *p = 0;
  at[2] = reinterpret_cast<uintptr_t>(argument);            // r13
  at[3] = reinterpret_cast<uintptr_t>(f);                   // r12
  at[6] = reinterpret_cast<uintptr_t>(&tg_emulator_begin);  // return address
#else
  uintptr_t* at = top - 20;
  for (uintptr_t* p = at; p < top; ++p) *p = 0;
  at[0] = reinterpret_cast<uintptr_t>(f);                    // x19
  at[1] = reinterpret_cast<uintptr_t>(argument);             // x20
  at[11] = reinterpret_cast<uintptr_t>(&tg_emulator_begin);  // x30
#endif
  state_->inside = at;
}

void Fiber::resume() { tg_emulator_switch(&state_->outside, state_->inside); }
void Fiber::pause() { tg_emulator_switch(&state_->inside, state_->outside); }

#else

struct Fiber::State {
  Stack stack;
  ucontext_t inside{}, outside{};
};

namespace {

// makecontext passes ints only.
void begin(unsigned high, unsigned low) {
  const auto bits = static_cast<uintptr_t>((static_cast<uint64_t>(high) << 32) | low);
  auto** call = reinterpret_cast<void**>(bits);
  reinterpret_cast<Fiber::Function*>(call[0])(call[1]);
}

}  // namespace

void Fiber::start(Function* f, void* argument) {
  state_->stack.forget_frames();
  getcontext(&state_->inside);
  state_->inside.uc_stack.ss_sp = state_->stack.bottom();
  state_->inside.uc_stack.ss_size = kStackBytes - 64;
  state_->inside.uc_link = nullptr;
  auto** call = reinterpret_cast<void**>(state_->stack.top() - 64);
  call[0] = reinterpret_cast<void*>(f);
  call[1] = argument;
  const auto bits = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(call));
  makecontext(&state_->inside, reinterpret_cast<void (*)()>(begin), 2,
              static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits));
}

void Fiber::resume() { swapcontext(&state_->outside, &state_->inside); }
void Fiber::pause() { swapcontext(&state_->inside, &state_->outside); }

#endif

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;

bool Fiber::owns(const void* address) const {
  const auto* p = static_cast<const char*>(address);
  return p >= state_->stack.bottom() && p < state_->stack.top();
}

}  // namespace tg::emulator
