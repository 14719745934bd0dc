// See fake_metal.h. objc_msgSend finds the function of a selector and jumps to it with all
// arguments where they are, as the real one does, so that any signature works.
#include "fake_metal.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace tg::testing {
namespace {

using Selector = const char*;
using Code = void (*)();

struct Size {
  uint64_t width, height, depth;
};

FakeMetal state;
std::recursive_mutex lock;
std::set<const void*> alive;

void problem(const std::string& text) {
  const std::lock_guard guard(lock);
  state.problems.push_back(text);
}

struct Object {
  explicit Object(std::string k) : kind(std::move(k)) {
    const std::lock_guard guard(lock);
    alive.insert(this);
    ++state.live;
  }
  virtual ~Object() {
    const std::lock_guard guard(lock);
    alive.erase(this);
    --state.live;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  const std::string kind;
  int references = 1;
};

Object* retain(Object* o) {
  const std::lock_guard guard(lock);
  ++o->references;
  return o;
}
void release(Object* o) {
  const std::lock_guard guard(lock);
  if (o != nullptr && --o->references == 0) delete o;
}

thread_local std::vector<std::vector<Object*>> pools;

Object* autorelease(Object* o) {
  if (pools.empty())
    problem("a " + o->kind + " is given away without a pool");
  else
    pools.back().push_back(o);
  return o;
}

struct String final : Object {
  explicit String(std::string t) : Object("string"), text(std::move(t)) {}
  const std::string text;
};
Object* string(const std::string& text) { return autorelease(new String(text)); }

struct Error final : Object {
  Error(int64_t c, std::string t) : Object("error"), code(c), text(std::move(t)) {}
  const int64_t code;
  const std::string text;
};

struct Buffer final : Object {
  explicit Buffer(uint64_t n) : Object("buffer"), bytes(n, '\x5a') {
    const std::lock_guard guard(lock);
    state.held += static_cast<int64_t>(n);
  }
  ~Buffer() override {
    const std::lock_guard guard(lock);
    state.held -= static_cast<int64_t>(bytes.size());
  }
  std::vector<char> bytes;
};

struct Named final : Object {  // library, function, pipeline, device
  Named(std::string k, std::string n) : Object(std::move(k)), name(std::move(n)) {}
  const std::string name;
};

struct Commands final : Object {
  Commands() : Object("commands") {}
  ~Commands() override {
    for (Object* o : used) release(o);
    release(error);
  }
  std::vector<FakeLaunch> launches;
  std::vector<Object*> used;
  uint64_t status = 0;
  bool is_written = false;
  Object* error = nullptr;
};

struct Encoder final : Object {
  explicit Encoder(Commands* c) : Object("encoder"), commands(c) { retain(c); }
  ~Encoder() override {
    if (!ended) problem("an encoder ends without endEncoding");
    release(commands);
  }
  Commands* const commands;
  FakeLaunch next;
  int barriers = 0;
  bool ended = false;
};

struct Array final : Object {
  Array() : Object("array") {}
  ~Array() override {
    for (Object* o : items) release(o);
  }
  std::vector<Object*> items;
};

// ---- classes, strings, errors
Object* class_string(Object*, Selector, const char* text) { return string(text); }
const char* utf8(String* s, Selector) { return s->text.c_str(); }
Object* new_options(Object*, Selector) { return new Object("options"); }
uint8_t responds(Object* o, Selector, Selector what) {
  if (o->kind == "device") return !state.is_old;
  return o->kind == "options" && std::strcmp(what, "setMathMode:") == 0 && state.has_math_mode;
}
void set_fast_math(Object*, Selector, uint8_t on) {
  const std::lock_guard guard(lock);
  state.fast_math = on;
}
void set_math_mode(Object*, Selector, int64_t mode) {
  const std::lock_guard guard(lock);
  if (!state.has_math_mode) problem("setMathMode: is not known");
  state.math_mode = static_cast<int>(mode);
}
int64_t code(Error* e, Selector) { return e->code; }
Object* description(Error* e, Selector) { return string(e->text); }
uint64_t count(Array* a, Selector) { return a->items.size(); }
Object* item(Array* a, Selector, uint64_t i) { return a->items.at(i); }

// ---- devices
Object* name_of(Named* n, Selector) { return string(n->name); }
uint8_t supports(Object*, Selector, int64_t family) {
  return family > 1000 && family <= 1000 + state.family;
}
uint8_t yes(Object*, Selector) { return 1; }
uint64_t memory(Object*, Selector) { return uint64_t{8} << 30; }
uint64_t most_buffer(Object*, Selector) { return uint64_t{1} << 30; }
uint64_t local_memory(Object*, Selector) { return 32 << 10; }
Object* new_queue(Object*, Selector) { return state.gives_queue ? new Object("queue") : nullptr; }

Object* new_buffer(Object*, Selector, uint64_t bytes, uint64_t storage) {
  const std::lock_guard guard(lock);
  if (storage != 0) problem("a buffer is not shared with the host");
  return state.held + static_cast<int64_t>(bytes) > state.room ? nullptr : new Buffer(bytes);
}

Object* refused(Object** error, const std::string& text) {
  *error = autorelease(new Error(3, text));
  return nullptr;
}
Object* new_library(Object*, Selector, String* source, Object* options, Object** error) {
  const std::lock_guard guard(lock);
  if (options == nullptr) problem("a library is compiled with fast math");
  state.sources.push_back(source->text);
  if (!state.compile_error.empty()) return refused(error, state.compile_error);
  return new Named("library", source->text);
}
Object* new_function(Named* library, Selector, String* name) {
  const bool found = library->name.find("kernel void " + name->text + "(") != std::string::npos;
  return found && !state.forgets_functions ? new Named("function", name->text) : nullptr;
}
Object* new_pipeline(Object*, Selector, Named* function, Object** error) {
  const std::lock_guard guard(lock);
  if (!state.pipeline_error.empty()) return refused(error, state.pipeline_error);
  return new Named("pipeline", function->name);
}
uint64_t most_items(Object*, Selector) { return state.most_items; }
char* contents(Buffer* b, Selector) { return b->bytes.data(); }

// ---- commands
Object* commands(Object*, Selector) { return autorelease(new Commands); }
Object* encoder(Commands* c, Selector, uint64_t dispatch_type) {
  if (dispatch_type != 1) problem("an encoder does not run kernels side by side");
  if (!state.gives_encoder) return nullptr;
  return autorelease(new Encoder(c));
}
void set_pipeline(Encoder* e, Selector, Named* pipeline) {
  e->next = {};
  e->next.name = pipeline->name;
  e->commands->used.push_back(retain(pipeline));
}
void set_buffer(Encoder* e, Selector, Buffer* b, uint64_t offset, uint64_t index) {
  if (index > 30) problem("a kernel has more than 31 buffers");
  if (b != nullptr && offset > b->bytes.size()) problem("an offset is outside its buffer");
  e->next.buffers.resize(std::max(e->next.buffers.size(), index + 1));
  if (b == nullptr) return;
  e->next.buffers[index] = b->bytes.data() + offset;
  e->commands->used.push_back(retain(b));
}
void set_bytes(Encoder* e, Selector, const char* from, uint64_t bytes, uint64_t index) {
  if (bytes > 4096) problem("setBytes: takes at most 4096 bytes");
  if (index > 30) problem("a kernel has more than 31 buffers");
  if (index != e->next.buffers.size()) problem("the arguments are not behind the last buffer");
  e->next.numbers.resize(bytes / 8);
  std::memcpy(e->next.numbers.data(), from, bytes);
}
void memory_barrier(Encoder* e, Selector, uint64_t scope) {
  if (scope != 1) problem("a barrier is not for buffers");
  ++e->barriers;
}
void dispatch(Encoder* e, Selector, Size groups, Size items) {
  if (e->ended || e->next.name.empty()) problem("a dispatch without a pipeline");
  if (groups.height * groups.depth * items.height * items.depth != 1 || groups.width == 0)
    problem("groups have more than one dimension");
  if (items.width > state.most_items) problem("a group is too large");
  e->next.groups = groups.width;
  e->next.items = items.width;
  e->next.barriers = e->barriers;
  e->commands->launches.push_back(e->next);
}
void end_encoding(Encoder* e, Selector) {
  if (e->ended) problem("endEncoding twice");
  e->ended = e->commands->is_written = true;
}
void run(Commands* c) {
  c->status = state.fails_with != 0 ? 5 : 4;
  if (c->status == 5) {
    c->error = new Error(state.fails_with, state.fails_because);
    return;
  }
  for (const FakeLaunch& l : c->launches) {
    state.launches.push_back(l);
    if (state.run) state.run(l);
  }
}
void commit(Commands* c, Selector) {
  const std::lock_guard guard(lock);
  if (!c->is_written || c->status != 0) problem("commit out of order");
  c->status = 2;
  ++state.commits;
  if (state.runs_at_once) run(c);
}
void wait(Commands* c, Selector) {
  const std::lock_guard guard(lock);
  if (c->status == 0) problem("a wait for what is not committed");
  if (c->status == 2) run(c);
}
uint64_t status(Commands* c, Selector) { return c->status; }
Object* error_of(Commands* c, Selector) { return c->error; }
double start_time(Commands*, Selector) { return 100; }
double end_time(Commands* c, Selector) {
  const std::lock_guard guard(lock);
  if (c->status < 4) problem("GPUEndTime of commands that have not run");
  return 100 + state.seconds;
}

Object* send_retain(Object* o, Selector) { return retain(o); }
void send_release(Object* o, Selector) { release(o); }
uint64_t zero(Object*, Selector) { return 0; }

// Devices and classes belong to the process, and are not counted.
template <typename T, typename... A>
T* for_ever(const std::string& name, A... arguments) {
  const std::lock_guard guard(lock);
  static auto& all = *new std::map<std::string, T*>;  // never destroyed, as its objects are not
  T*& found = all[name];
  if (found == nullptr) {
    found = new T(arguments...);
    --state.live;
  }
  return found;
}
Object* device_called(const std::string& name) {
  return for_ever<Named>(name, std::string("device"), name);
}

template <typename F>
Code code_of(F* f) {
  return reinterpret_cast<Code>(f);
}

using Methods = std::map<std::pair<std::string, std::string>, Code>;
const Methods& methods() {
  static const Methods all = {
      {{"class NSString", "stringWithUTF8String:"}, code_of(class_string)},
      {{"class MTLCompileOptions", "new"}, code_of(new_options)},
      {{"string", "UTF8String"}, code_of(utf8)},
      {{"options", "respondsToSelector:"}, code_of(responds)},
      {{"options", "setFastMathEnabled:"}, code_of(set_fast_math)},
      {{"options", "setMathMode:"}, code_of(set_math_mode)},
      {{"error", "code"}, code_of(code)},
      {{"error", "localizedDescription"}, code_of(description)},
      {{"array", "count"}, code_of(count)},
      {{"array", "objectAtIndex:"}, code_of(item)},
      {{"device", "respondsToSelector:"}, code_of(responds)},
      {{"device", "name"}, code_of(name_of)},
      {{"device", "supportsFamily:"}, code_of(supports)},
      {{"device", "hasUnifiedMemory"}, code_of(yes)},
      {{"device", "recommendedMaxWorkingSetSize"}, code_of(memory)},
      {{"device", "maxBufferLength"}, code_of(most_buffer)},
      {{"device", "maxThreadgroupMemoryLength"}, code_of(local_memory)},
      {{"device", "newCommandQueue"}, code_of(new_queue)},
      {{"device", "newBufferWithLength:options:"}, code_of(new_buffer)},
      {{"device", "newLibraryWithSource:options:error:"}, code_of(new_library)},
      {{"device", "newComputePipelineStateWithFunction:error:"}, code_of(new_pipeline)},
      {{"library", "newFunctionWithName:"}, code_of(new_function)},
      {{"pipeline", "maxTotalThreadsPerThreadgroup"}, code_of(most_items)},
      {{"buffer", "contents"}, code_of(contents)},
      {{"queue", "commandBuffer"}, code_of(commands)},
      {{"commands", "computeCommandEncoderWithDispatchType:"}, code_of(encoder)},
      {{"commands", "commit"}, code_of(commit)},
      {{"commands", "waitUntilCompleted"}, code_of(wait)},
      {{"commands", "status"}, code_of(status)},
      {{"commands", "error"}, code_of(error_of)},
      {{"commands", "GPUStartTime"}, code_of(start_time)},
      {{"commands", "GPUEndTime"}, code_of(end_time)},
      {{"encoder", "setComputePipelineState:"}, code_of(set_pipeline)},
      {{"encoder", "setBuffer:offset:atIndex:"}, code_of(set_buffer)},
      {{"encoder", "setBytes:length:atIndex:"}, code_of(set_bytes)},
      {{"encoder", "dispatchThreadgroups:threadsPerThreadgroup:"}, code_of(dispatch)},
      {{"encoder", "memoryBarrierWithScope:"}, code_of(memory_barrier)},
      {{"encoder", "endEncoding"}, code_of(end_encoding)},
  };
  return all;
}

}  // namespace

// Called by objc_msgSend.
extern "C" Code fake_find_method(Object* to, Selector what) {
  const std::lock_guard guard(lock);
  if (to == nullptr) return code_of(zero);
  if (!alive.contains(to)) {
    problem(std::string("a message to a dead object: ") + what);
    return code_of(zero);
  }
  if (std::strcmp(what, "retain") == 0) return code_of(send_retain);
  if (std::strcmp(what, "release") == 0) return code_of(send_release);
  const auto found = methods().find({to->kind, what});
  if (found != methods().end()) return found->second;
  problem("a " + to->kind + " does not know " + what);
  return code_of(zero);
}

#if defined(__x86_64__)
asm(R"(
  .globl objc_msgSend
  .type objc_msgSend, @function
objc_msgSend:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  call fake_find_method@PLT
  movq %rax, %r11
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  jmp *%r11
)");
#elif defined(__aarch64__)
asm(R"(
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend:
  stp x29, x30, [sp, #-80]!
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  bl fake_find_method
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x29, x30, [sp], #80
  br x16
)");
#endif

#pragma GCC visibility push(default)
extern "C" {

FakeMetal* fake_metal() { return &state; }

Object* objc_getClass(const char* name) {
  return for_ever<Object>(name, std::string("class ") + name);
}

Selector sel_registerName(const char* name) {
  const std::lock_guard guard(lock);
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

void* objc_autoreleasePoolPush() {
  pools.emplace_back();
  return reinterpret_cast<void*>(pools.size());
}

void objc_autoreleasePoolPop(void* pool) {
  if (reinterpret_cast<size_t>(pool) != pools.size()) problem("pools are popped out of order");
  const std::vector<Object*> given = pools.back();
  pools.pop_back();
  for (Object* o : given) release(o);
}

Object* MTLCreateSystemDefaultDevice() {
  return state.devices.empty() ? nullptr : retain(device_called(state.devices[0]));
}

Object* MTLCopyAllDevices() {
  if (!state.lists_devices) return nullptr;
  auto* all = new Array;
  for (const std::string& name : state.devices) all->items.push_back(retain(device_called(name)));
  return all;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tg::testing
