// The work of single calls in C++ alone, for against_tinygrad.py, which calls the same from Python:
// answers a program's name on standard input with the seconds that a call takes.
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "tg/tg.h"

namespace {

double seconds_of(const std::function<tg::Tensor()>& call) {
  constexpr int kCalls = 20000;
  for (int i = 0; i < 3; ++i) call();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  return all.count() / kCalls;
}

}  // namespace

int main() {
  tg::Tensor x{1.0F, 2.0F}, y{3.0F, 4.0F};
  x.realize();
  y.realize();
  const std::map<std::string, std::function<tg::Tensor()>> programs = {
      {"unary", [&] { return x.relu(); }},
      {"binary", [&] { return x + y; }},
      {"view", [&] { return x.reshape({2, 1}); }},
  };
  for (std::string name; std::getline(std::cin, name);) {
    const auto program = programs.find(name);
    std::cout << (program == programs.end() ? 0.0 : seconds_of(program->second)) << std::endl;
  }
}
