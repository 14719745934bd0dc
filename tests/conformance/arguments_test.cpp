// Every recorded function is called by random programs and by the systematic cases, or there is a
// reason why not.
#include <gtest/gtest.h>

#include <set>

#include "support/effort.h"
#include "tg-conformance/argument_table.h"
#include "tg-conformance/arguments.h"
#include "tg-conformance/random_programs.h"

namespace tg::conformance {
namespace {

TEST(Arguments, EveryFunctionIsDrawnOrExceptedForAReason) {
  for (const FnFamily& family : fn_families()) {
    for (const FnRecord& f : family.functions) {
      EXPECT_NE(how_drawn(f), Drawn::Not)
          << f.name << ": neither its types nor argument_table.cpp say what it is called with";
    }
  }
}

TEST(Arguments, RulesAndExceptionsNameFunctionsThatExist) {
  std::set<std::string_view> names;
  for (const auto* rules :
       {&element_rules(), &movement_rules(), &creation_rules(), &network_rules()}) {
    for (const ArgumentRule& r : *rules) {
      EXPECT_NE(find_fn(r.name), nullptr) << r.name;
      EXPECT_TRUE(names.insert(r.name).second) << r.name << " has two rules";
    }
  }
  for (const std::string_view name : excepted_names()) {
    EXPECT_NE(find_fn(name), nullptr) << name;
    EXPECT_FALSE(names.contains(name)) << name << " is excepted and has a rule";
  }
  for (const std::string_view name : guarded_names()) EXPECT_NE(find_fn(name), nullptr) << name;
}

TEST(Arguments, OfRandomProgramsAreLegal) {
  std::map<std::string, int> called;
  for (uint64_t seed = 1; seed <= test::trials(2000); ++seed) {
    const DrawnProgram d = random_program(seed, {DType::Float32, DType::Float16});
    EXPECT_EQ(d.fault, "") << "program " << seed;
    for (const Value& v : d.program.values) {
      if (const auto* s = std::get_if<Step>(&v)) ++called[s->function];
    }
  }
  if (test::kSanitized) return;
  for (const FnRecord* f : called_functions())
    EXPECT_GT(called[std::string(f->name)], 0) << f->name << " is never called";
}

}  // namespace
}  // namespace tg::conformance
