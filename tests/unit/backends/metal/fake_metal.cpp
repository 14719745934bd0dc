// See fake_metal.h. objc_msgSend finds the function of a selector and jumps to it with all
// arguments where they are, as the real one does, so that any signature works.
#include "fake_metal.h"

#include <cstring>
#include <map>

#include "fake_objects.h"

namespace tg::testing {
namespace {

using namespace fake_objects;

// ---- classes, strings, errors
Object* class_string(Object*, Selector, const char* text) { return string(text); }
const char* utf8(String* s, Selector) { return s->text.c_str(); }
Object* new_options(Object*, Selector) { return new Object("options"); }
uint8_t responds(Object* o, Selector, Selector what) {
  if (o->kind == "device") return !state.is_old;
  if (o->kind == "pipeline descriptor" || o->kind == "icb descriptor") return state.records;
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
  return found && !state.forgets_functions ? new Named("function", name->text, library->name)
                                           : nullptr;
}
struct PipelineDescriptor final : Object {
  PipelineDescriptor() : Object("pipeline descriptor") {}
  ~PipelineDescriptor() override { release(function); }
  Named* function = nullptr;
  bool supports_icb = false;
};
Object* new_pipeline_descriptor(Object*, Selector) { return new PipelineDescriptor; }
void set_function(PipelineDescriptor* d, Selector, Named* function) {
  d->function = static_cast<Named*>(retain(function));
}
void set_supports(PipelineDescriptor* d, Selector, uint8_t on) { d->supports_icb = on != 0; }
// The members of the structure that the function takes last.
size_t numbers_of(const Named& function) {
  const size_t begin = function.source.find("struct " + function.name + "_arguments {");
  const size_t end = function.source.find("};", begin);
  size_t count = 0;
  for (size_t at = begin; (at = function.source.find("  long ", at + 1)) < end;) ++count;
  return count;
}
Object* new_pipeline(Object*, Selector, PipelineDescriptor* d, uint64_t, Object**, Object** error) {
  const std::lock_guard guard(lock);
  if (!state.pipeline_error.empty()) return refused(error, state.pipeline_error);
  if (d->supports_icb != state.records) problem("a pipeline is not for recorded commands");
  return new Pipeline(d->function->name, numbers_of(*d->function));
}
uint64_t max_group_size(Object*, Selector) { return state.max_group_size; }
char* contents(Buffer* b, Selector) { return b->bytes.data(); }

// ---- commands
Object* commands(Object*, Selector) { return autorelease(new Commands); }
Object* encoder(Commands* c, Selector, uint64_t dispatch_type) {
  if (dispatch_type != 1) problem("an encoder does not run kernels side by side");
  if (!state.gives_encoder) return nullptr;
  return autorelease(new Encoder(c));
}
void set_pipeline(Encoder* e, Selector, Pipeline* pipeline) {
  e->next = {};
  e->next.name = pipeline->name;
  e->commands->used.push_back(retain(pipeline));
  e->commands->pipelines.insert(pipeline);
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
void dispatch(Encoder* e, Selector, Size groups, Size group_size) {
  if (e->ended || e->next.name.empty()) problem("a dispatch without a pipeline");
  if (groups.width == 0 && group_size.width == 0) return;  // names the pipeline
  if (groups.height * groups.depth * group_size.height * group_size.depth != 1 || groups.width == 0)
    problem("groups have more than one dimension");
  if (group_size.width > state.max_group_size) problem("a group is too large");
  e->next.groups = groups.width;
  e->next.group_size = group_size.width;
  e->next.barriers = e->barriers;
  e->commands->steps.push_back({.launch = e->next});
}
void end_encoding(Encoder* e, Selector) {
  if (e->ended) problem("endEncoding twice");
  e->ended = e->commands->is_written = true;
}

// ---- recorded commands
void set_command_types(Object*, Selector, uint64_t types) {
  if (types != 32) problem("commands are not dispatches");
}
void set_inherit(Object*, Selector, uint8_t on) {
  if (on != 0) problem("recorded commands inherit what nobody set");
}
void set_max_buffers(Object*, Selector, uint64_t count) {
  if (count != 31) problem("kernels may have 31 buffers");
}
Object* new_icb_descriptor(Object*, Selector) { return new Object("icb descriptor"); }
Object* new_icb(Object*, Selector, Object*, uint64_t count, uint64_t options) {
  if (options != 0) problem("commands are not shared with the host");
  return state.records ? new Icb(count) : nullptr;
}
Object* command_at(Icb* icb, Selector, uint64_t i) {
  return i < icb->commands.size() ? icb->commands[i] : nullptr;
}
void may_write(IcbCommand* c) {
  const std::lock_guard guard(lock);
  if (c->icb->in_flight > 0) problem("a command is written that the device may run");
}
void icb_set_pipeline(IcbCommand* c, Selector, Pipeline* pipeline) {
  may_write(c);
  c->pipeline = pipeline;
}
void icb_set_buffer(IcbCommand* c, Selector, Buffer* b, uint64_t offset, uint64_t index) {
  may_write(c);
  if (b == nullptr) problem("a recorded command takes no missing buffer");
  if (index > 30) problem("a kernel has more than 31 buffers");
  if (offset > b->bytes.size()) problem("an offset is outside its buffer");
  c->bindings.resize(std::max(c->bindings.size(), index + 1));
  c->bindings[index] = {b, offset, b->serial};
}
void icb_dispatch(IcbCommand* c, Selector, Size groups, Size group_size) {
  may_write(c);
  if (groups.height * groups.depth * group_size.height * group_size.depth != 1 || groups.width == 0)
    problem("groups have more than one dimension");
  c->groups = groups;
  c->group_size = group_size;
}
void icb_set_barrier(IcbCommand* c, Selector) {
  may_write(c);
  c->waits = true;
}
void use_resources(Encoder* e, Selector, Object* const* all, uint64_t count, uint64_t usage) {
  if (usage != 3) problem("resources are not read and written");
  for (uint64_t i = 0; i < count; ++i) {
    e->commands->used.push_back(retain(all[i]));
    e->commands->resources.insert(all[i]);
  }
}
void execute(Encoder* e, Selector, Icb* icb, uint64_t first, uint64_t count) {
  if (count == 0 || first + count > icb->commands.size()) problem("a range of no commands");
  const std::lock_guard guard(lock);
  ++icb->in_flight;
  e->commands->used.push_back(retain(icb));
  FakeMetalLaunch before;
  before.barriers = e->barriers;
  e->commands->steps.push_back({before, icb, first, count});
}

// What the command says at the time of running.
FakeMetalLaunch launch_of(const IcbCommand& icb_command, const Commands& c, int barriers) {
  FakeMetalLaunch l;
  if (icb_command.pipeline == nullptr || icb_command.bindings.empty()) {
    problem("a recorded command says nothing");
    return l;
  }
  if (state.family < 9 && !c.pipelines.contains(icb_command.pipeline))
    problem("a pipeline is not named to the encoder");
  l.name = icb_command.pipeline->name;
  l.groups = icb_command.groups.width;
  l.group_size = icb_command.group_size.width;
  l.barriers = barriers;
  for (const Binding& b : icb_command.bindings) {
    if (b.buffer != nullptr && !c.resources.contains(b.buffer))
      problem("a buffer of a recorded command is not resident");
    if (b.buffer != nullptr && (!alive.contains(b.buffer) || b.buffer->serial != b.serial))
      problem("a buffer of a recorded command is gone");
    l.buffers.push_back(b.buffer == nullptr ? nullptr : b.buffer->bytes.data() + b.offset);
  }
  l.numbers.resize(icb_command.pipeline->numbers);
  if (icb_command.bindings.back().offset % 256 != 0) problem("constants are not aligned");
  std::memcpy(l.numbers.data(), l.buffers.back(), l.numbers.size() * 8);
  l.buffers.pop_back();
  return l;
}

void run_one(const FakeMetalLaunch& l) {
  state.launches.push_back(l);
  if (state.run) state.run(l);
}
// Of commands that do not wait for each other the last runs first.
void run_recorded(const Step& s, const Commands& c) {
  int barriers = s.launch.barriers;
  std::vector<FakeMetalLaunch> together;
  const auto flush = [&] {
    for (; !together.empty(); together.pop_back()) run_one(together.back());
  };
  for (uint64_t i = s.first; i < s.first + s.count; ++i) {
    if (s.icb->commands[i]->waits) {
      flush();
      ++barriers;
    }
    together.push_back(launch_of(*s.icb->commands[i], c, barriers));
  }
  flush();
}
void run(Commands* c) {
  c->status = state.fails_with != 0 ? 5 : 4;
  if (c->status == 5) c->error = new Error(state.fails_with, state.fails_because);
  for (const Step& s : c->steps) {
    if (s.icb != nullptr) --s.icb->in_flight;
    if (c->status == 5) continue;
    if (s.icb != nullptr)
      run_recorded(s, *c);
    else
      run_one(s.launch);
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
      {{"class MTLComputePipelineDescriptor", "new"}, code_of(new_pipeline_descriptor)},
      {{"class MTLIndirectCommandBufferDescriptor", "new"}, code_of(new_icb_descriptor)},
      {{"pipeline descriptor", "respondsToSelector:"}, code_of(responds)},
      {{"pipeline descriptor", "setComputeFunction:"}, code_of(set_function)},
      {{"pipeline descriptor", "setSupportIndirectCommandBuffers:"}, code_of(set_supports)},
      {{"icb descriptor", "respondsToSelector:"}, code_of(responds)},
      {{"icb descriptor", "setCommandTypes:"}, code_of(set_command_types)},
      {{"icb descriptor", "setInheritBuffers:"}, code_of(set_inherit)},
      {{"icb descriptor", "setInheritPipelineState:"}, code_of(set_inherit)},
      {{"icb descriptor", "setMaxKernelBufferBindCount:"}, code_of(set_max_buffers)},
      {{"icb", "indirectComputeCommandAtIndex:"}, code_of(command_at)},
      {{"icb command", "setComputePipelineState:"}, code_of(icb_set_pipeline)},
      {{"icb command", "setKernelBuffer:offset:atIndex:"}, code_of(icb_set_buffer)},
      {{"icb command", "concurrentDispatchThreadgroups:threadsPerThreadgroup:"},
       code_of(icb_dispatch)},
      {{"icb command", "setBarrier"}, code_of(icb_set_barrier)},
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
      {{"device", "newComputePipelineStateWithDescriptor:options:reflection:error:"},
       code_of(new_pipeline)},
      {{"device", "newIndirectCommandBufferWithDescriptor:maxCommandCount:options:"},
       code_of(new_icb)},
      {{"library", "newFunctionWithName:"}, code_of(new_function)},
      {{"pipeline", "maxTotalThreadsPerThreadgroup"}, code_of(max_group_size)},
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
      {{"encoder", "useResources:count:usage:"}, code_of(use_resources)},
      {{"encoder", "executeCommandsInBuffer:withRange:"}, code_of(execute)},
      {{"encoder", "endEncoding"}, code_of(end_encoding)},
  };
  return all;
}

}  // namespace

// Called by objc_msgSend.
extern "C" Code fake_find_method(Object* to, Selector what) {
  const std::lock_guard guard(lock);
  if (to == nullptr) return code_of(zero);
  ++state.messages[what];
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
