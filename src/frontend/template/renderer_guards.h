// What a renderer changes for a while and then sets back, also when it is refused on the way.
#pragma once

#include <utility>

#include "frontend/template/renderer.h"

namespace tg::models::jinja {

/// Of statements, expressions and macros within one another: a level takes some hundred bytes of
/// the thread's stack.
inline constexpr int kDeepestRun = 800;

class Renderer::Level {
 public:
  explicit Level(Renderer& r) : r_(r) {
    r_.budget_.spend(1);
    if (r_.depth_ >= kDeepestRun) throw Refusal("calls are nested too deeply");
    ++r_.depth_;
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --r_.depth_; }

 private:
  Renderer& r_;
};

class Renderer::InScope {
 public:
  InScope(Renderer& r, size_t parent) : r_(r), before_(r.scope_) {
    r_.scopes_.push_back({.parent = parent, .serial = r_.serial_++, .names = {}});
    r_.scope_ = r_.scopes_.size() - 1;
  }
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;
  ~InScope() {
    r_.scopes_.pop_back();
    r_.scope_ = before_;
  }

 private:
  Renderer& r_;
  size_t before_;
};

class Renderer::Capture {
 public:
  Capture(Renderer& r, TextBuilder& out) : r_(r), before_(std::exchange(r.out_, &out)) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { r_.out_ = before_; }

 private:
  Renderer& r_;
  TextBuilder* before_;
};

class Renderer::InLoop {
 public:
  InLoop(Renderer& r, LoopState state) : r_(r) { r_.loops_.push_back(std::move(state)); }
  InLoop(const InLoop&) = delete;
  InLoop& operator=(const InLoop&) = delete;
  ~InLoop() { r_.loops_.pop_back(); }

 private:
  Renderer& r_;
};

}  // namespace tg::models::jinja
