// The objects of the fake system: strings, buffers, pipelines, commands, and what is recorded in
// them. What can be done with them: fake_metal.cpp, which alone includes this.
#pragma once

#include <algorithm>
#include <mutex>
#include <set>

#include "fake_metal.h"

namespace tg::testing::fake_objects {

using Selector = const char*;
using Code = void (*)();

struct Size {
  uint64_t width, height, depth;
};

inline FakeMetal state;
inline std::recursive_mutex lock;
inline std::set<const void*> alive;
inline uint64_t last_serial = 0;

inline void problem(const std::string& text) {
  const std::lock_guard guard(lock);
  state.problems.push_back(text);
}

struct Object {
  explicit Object(std::string k) : kind(std::move(k)) {
    const std::lock_guard guard(lock);
    alive.insert(this);
    ++state.live;
    serial = ++last_serial;
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
  uint64_t serial = 0;  // another object at the same address has another
};

inline Object* retain(Object* o) {
  const std::lock_guard guard(lock);
  ++o->references;
  return o;
}
inline void release(Object* o) {
  const std::lock_guard guard(lock);
  if (o != nullptr && --o->references == 0) delete o;
}

inline thread_local std::vector<std::vector<Object*>> pools;

inline Object* autorelease(Object* o) {
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
inline Object* string(const std::string& text) { return autorelease(new String(text)); }

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

struct Named final : Object {  // library, function, device
  Named(std::string k, std::string n, std::string s = {})
      : Object(std::move(k)), name(std::move(n)), source(std::move(s)) {}
  const std::string name, source;
};

struct Pipeline final : Object {
  Pipeline(std::string n, size_t count) : Object("pipeline"), name(std::move(n)), numbers(count) {}
  const std::string name;
  const size_t numbers;  // that its kernel takes behind the buffers
};

struct Binding {
  Buffer* buffer = nullptr;
  uint64_t offset = 0, serial = 0;
};

struct Icb;
// Belongs to its Icb, which reads it when it runs.
struct IcbCommand final : Object {
  explicit IcbCommand(Icb* i) : Object("icb command"), icb(i) {}
  Icb* const icb;
  Pipeline* pipeline = nullptr;
  std::vector<Binding> bindings;
  Size groups{0, 0, 0}, group_size{0, 0, 0};
  bool waits = false;
};
struct Icb final : Object {
  explicit Icb(uint64_t n) : Object("icb") {
    for (uint64_t i = 0; i < n; ++i) commands.push_back(new IcbCommand(this));
    const std::lock_guard guard(lock);
    state.live -= static_cast<int64_t>(n);
  }
  ~Icb() override {
    if (in_flight > 0) problem("recorded commands are gone before they ran");
    const std::lock_guard guard(lock);
    state.live += std::ssize(commands);
    for (IcbCommand* c : commands) delete c;
  }
  std::vector<IcbCommand*> commands;
  int in_flight = 0;  // command buffers that run it
};

// A launch of its own, or commands of an Icb.
struct Step {
  FakeMetalLaunch launch;
  Icb* icb = nullptr;
  uint64_t first = 0, count = 0;
};

struct Commands final : Object {
  Commands() : Object("commands") {}
  ~Commands() override {
    for (Object* o : used) release(o);
    release(error);
  }
  std::vector<Step> steps;
  std::set<const Object*> resources, pipelines;  // that recorded commands may name
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
  FakeMetalLaunch next;
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

}  // namespace tg::testing::fake_objects
