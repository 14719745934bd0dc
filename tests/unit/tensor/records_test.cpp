// The function records against the public header: none missing, none left over, every option
// described.
#include "support/source_dir.h"
#include "tensor/records/record.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(test::source_dir().string() + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The public part of class Tensor, without comments.
std::string class_text() {
  std::string text = read("/include/tg/tensor.h");
  const size_t begin = text.find("class TG_API Tensor"), end = text.find(" private:");
  text = text.substr(begin, end - begin);
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

// Names of the methods: what stands before "(" at the start of a declaration.
std::set<std::string> methods() {
  const std::string text = class_text();
  const std::regex declaration(
      R"((?:^|[;{}>])\s*(?:static )?(?:const )?(?:void|void\*|bool|std::string|int64_t|Shape|DType|T|Tensor|std::vector<[A-Za-z:]+>|std::optional<[A-Za-z0-9_]+>|std::pair<[A-Za-z:, ]+>)&? (\w+)\()");
  std::set<std::string> out;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), declaration);
       i != std::sregex_iterator(); ++i) {
    out.insert((*i)[1]);
  }
  return out;
}

// Fields of an options aggregate.
std::set<std::string> fields(const std::string& aggregate) {
  const std::string text = read("/include/tg/options.h");
  const size_t begin = text.find("struct " + aggregate + " {"), end = text.find("\n};", begin);
  const std::string body = text.substr(begin, end - begin);
  const std::regex field(R"(\n  [\w:<>\*]+(?: [\w:<>\*]+)*\*? (\w+)(?: =|;))");
  std::set<std::string> out;
  for (auto i = std::sregex_iterator(body.begin(), body.end(), field); i != std::sregex_iterator();
       ++i) {
    out.insert((*i)[1]);
  }
  return out;
}

std::vector<const FnRecord*> all() {
  std::vector<const FnRecord*> out;
  for (const FnFamily& f : fn_families()) {
    for (const FnRecord& r : f.functions) out.push_back(&r);
  }
  return out;
}

TEST(Records, DescribeEveryMethod) {
  EXPECT_GE(methods().size(), 140u);
  for (const std::string& name : methods())
    EXPECT_NE(find_fn(name), nullptr) << name << " has no record";
}
TEST(Records, DescribeOnlyMethods) {
  const auto names = methods();
  for (const FnRecord* r : all())
    EXPECT_TRUE(names.contains(std::string(r->name))) << r->name << " is no method";
}
TEST(Records, AreNamedOnce) {
  std::set<std::string_view> seen;
  for (const FnRecord* r : all()) EXPECT_TRUE(seen.insert(r->name).second) << r->name;
}
TEST(Records, AreComplete) {
  for (const FnRecord* r : all()) {
    EXPECT_FALSE(r->doc.empty() || r->shapes.empty() || r->dtype.empty() || r->example.empty() ||
                 r->result.empty())
        << r->name;
    for (const FnParam& p : r->params)
      EXPECT_FALSE(p.type.empty() || p.meaning.empty()) << r->name << " " << p.name;
  }
}
TEST(Records, DescribeEveryOption) {
  const std::string text = class_text();
  const std::regex with_options(R"((\w+)\(([^()]*)const (\w+Options)& options)");
  int checked = 0;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), with_options);
       i != std::sregex_iterator(); ++i) {
    const std::string name = (*i)[1];
    const FnRecord* r = find_fn(name);
    if (r == nullptr) continue;
    for (const std::string& field : fields((*i)[3])) {
      // Options that several functions share, of which this one takes no notice.
      if ((*i)[3] == "ReduceOptions" && field == "dtype" && name != "sum" && name != "prod")
        continue;
      if ((*i)[3] == "LossOptions" && name.starts_with("binary") && field != "reduction") continue;
      if (name == "nll_loss" && field == "label_smoothing") continue;
      ++checked;
      const bool found =
          std::ranges::any_of(r->params, [&](const FnParam& p) { return p.name == field; });
      EXPECT_TRUE(found) << name << " does not describe " << field;
    }
  }
  EXPECT_GE(checked, 60);
}

}  // namespace
}  // namespace tg
