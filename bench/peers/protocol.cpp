// See protocol.h. Results are times, never values.
#include "protocol.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "support/check.h"
#include "support/text.h"

namespace tg::peers {
namespace {

int64_t number(const std::string& word) {
  const auto value = parse_int64(word);
  if (!value) {
    user_error<ArgumentError>("worker", fmt::format("\"{}\" is no whole number", word));
  }
  return *value;
}

}  // namespace

void answer(const std::string& json) {
  fmt::print("{}\n", json);
  std::fflush(stdout);
}

std::vector<int64_t> numbers(std::span<const std::string> words) {
  std::vector<int64_t> out;
  for (const std::string& word : words) out.push_back(number(word));
  return out;
}

namespace {

// Messages hold quotes and line ends at most.
std::string quoted(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return "\"" + text + "\"";
}

double seconds_of(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string round(const Call& call, double seconds, int64_t most) {
  std::vector<double> samples;
  for (double spent = 0; std::ssize(samples) < most && (samples.size() < 2 || spent < seconds);) {
    samples.push_back(seconds_of(call));
    spent += samples.back();
  }
  return fmt::format(R"({{"samples": [{:.9f}]}})", fmt::join(samples, ", "));
}

void respond(const std::vector<std::string>& words, const Prepare& prepare, Call& call) {
  const std::string verb = words.empty() ? "" : words[0];
  if (verb == "prepare" && words.size() >= 2) {
    call = {};
    call = prepare({}, words[1], numbers(std::span(words).subspan(2)));
    answer(fmt::format(R"({{"first": {:.9f}}})", seconds_of(call)));
  } else if (verb == "prepare-many" && words.size() >= 3) {
    call = {};
    call = prepare(number(words[1]), words[2], numbers(std::span(words).subspan(3)));
    answer(fmt::format(R"({{"first": {:.9f}}})", seconds_of(call)));
  } else if (verb == "round" && words.size() == 3 && call) {
    answer(round(call, std::stod(words[1]), number(words[2])));
  } else {
    user_error<ArgumentError>("worker", fmt::format("unknown request \"{}\"", verb));
  }
}

}  // namespace

void serve(std::string_view version, const Prepare& prepare) {
  answer(fmt::format(R"({{"version": {}}})", quoted(std::string(version))));
  Call call;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    try {
      respond(words, prepare, call);
    } catch (const std::exception& error) {
      call = {};
      answer(fmt::format(R"({{"error": {}}})", quoted(error.what())));
    }
  }
}

}  // namespace tg::peers
