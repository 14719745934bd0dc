// The records of layers and optimisers against the public headers: none missing, none left over,
// each complete.
#include "nn/records.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace tg::nn {
namespace {

std::string read_source(const std::string& path) {
  std::ifstream in(test::source_dir().string() + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Classes that users make, all exported ones but those that only others derive from, and functions
// for training.
std::set<std::string> names() {
  std::set<std::string> out;
  const auto add = [&](const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    for (auto i = std::sregex_iterator(text.begin(), text.end(), regex);
         i != std::sregex_iterator(); ++i)
      out.insert((*i)[1]);
  };
  const std::string training = read_source("/include/tg/training.h");
  add(read_source("/include/tg/layers.h") + read_source("/include/tg/nn.h") + training,
      R"((?:struct|class) TG_API (\w+))");
  add(training, R"(\nTG_API [\w:<>]+ (\w+)\()");
  for (const char* base : {"Conv", "ConvTranspose", "LRScheduler", "Optimizer"}) out.erase(base);
  return out;
}

std::vector<const FnRecord*> all() {
  std::vector<const FnRecord*> out;
  for (const FnFamily& f : families()) {
    for (const FnRecord& r : f.functions) out.push_back(&r);
  }
  return out;
}

TEST(NnRecords, DescribeEveryLayerAndOptimiserAndWhatTrainingNeeds) {
  std::set<std::string> described;
  for (const FnRecord* r : all()) EXPECT_TRUE(described.emplace(r->name).second) << r->name;
  EXPECT_EQ(described, names());
  EXPECT_GE(described.size(), 20u);
}
// Functions and classes of the other public headers: what stands after TG_API, and templates.
std::set<std::string> library_names() {
  std::set<std::string> out;
  const auto add = [&](const std::string& header, const std::string& prefix, const char* pattern) {
    const std::string text = read_source("/include/tg/" + header);
    const std::regex regex(pattern);
    for (auto i = std::sregex_iterator(text.begin(), text.end(), regex);
         i != std::sregex_iterator(); ++i)
      out.insert(prefix + (*i)[1].str());
  };
  constexpr const char* kFunction = R"(\nTG_API [\w:<>]+ (\w+)\()";
  constexpr const char* kClass = R"(\n(?:struct|class) TG_API (\w+))";
  constexpr const char* kTemplate =
      R"(\n(?:void|std::vector<Tensor>|StateDict|TinyJit<F>) (\w+)\(\w)";
  for (const char* header : {"autograd.h", "backend.h", "config.h", "counters.h", "dtype.h",
                             "interrupt.h", "log.h", "random.h", "symbolic.h", "version.h"}) {
    add(header, "", kFunction);
    add(header, "", kClass);
  }
  add("ir/graph.h", "", R"(\nTG_API [\w:<>]+ (\w+_text)\()");  // the rest is of nodes
  add("counters.h", "", R"(\nstruct (\w+))");
  add("jit.h", "", kTemplate);
  add("jit.h", "", R"(\nclass (\w+) \{)");
  add("nn.h", "nn.", kFunction);
  add("nn.h", "nn.", kTemplate);
  add("state.h", "nn.", kFunction);
  add("files.h", "nn.", kClass);
  add("datasets.h", "datasets.", kFunction);
  add("datasets.h", "datasets.", kClass);
  for (const char* internal : {"nn.add_state", "nn.load_state", "nn.load_name", "nn.load_modules",
                               "nn.visit_member", "nn.all_tensors", "result_list"})
    out.erase(internal);
  return out;
}

TEST(LibraryRecords, DescribeEverythingElseThatIsPublic) {
  std::set<std::string> described;
  for (const FnFamily& f : library_families()) {
    for (const FnRecord& r : f.functions) {
      EXPECT_TRUE(described.emplace(r.name).second) << r.name;
      EXPECT_FALSE(r.doc.empty() || r.example.empty() || r.result.empty()) << r.name;
    }
  }
  const std::set<std::string> names = library_names();
  for (const std::string& name : names)
    EXPECT_TRUE(described.contains(name)) << name << " has no record";
  for (const std::string& name : described)
    EXPECT_TRUE(names.contains(name)) << name << " is not public";
  EXPECT_GE(described.size(), 35u);
}

TEST(NnRecords, AreComplete) {
  for (const FnRecord* r : all()) {
    EXPECT_FALSE(r->doc.empty() || r->shapes.empty() || r->dtype.empty() || r->errors.empty() ||
                 r->example.empty() || r->result.empty())
        << r->name;
    for (const FnParam& p : r->params)
      EXPECT_FALSE(p.type.empty() || p.meaning.empty()) << r->name << " " << p.name;
  }
}

}  // namespace
}  // namespace tg::nn
