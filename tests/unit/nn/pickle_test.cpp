// Pickles as data: every instruction of the protocols, and none of what they ask for done.
#include "nn/format/pickle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "file_builders.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

using namespace std::string_literals;

// The value as text, a few levels deep.
std::string shown(const Pickle& p, uint32_t i, int depth = 0) {
  if (depth > 6) return "...";
  const PickleNode& n = p[i];
  const auto all = [&](const std::vector<uint32_t>& list) {
    std::string out;
    for (const uint32_t k : list) out += (out.empty() ? "" : " ") + shown(p, k, depth + 1);
    return out;
  };
  switch (n.kind) {
    case PickleKind::None:
      return "None";
    case PickleKind::Bool:
      return n.number != 0 ? "True" : "False";
    case PickleKind::Int:
      return fmt::format("{}", n.number);
    case PickleKind::LargeInt:
      return fmt::format("large{}", n.text.size());
    case PickleKind::Float:
      return fmt::format("{:.4f}", n.real);
    case PickleKind::Text:
      return "'" + n.text + "'";
    case PickleKind::Bytes:
      return "b'" + n.text + "'";
    case PickleKind::List:
      return "[" + all(n.items) + "]";
    case PickleKind::Tuple:
      return "(" + all(n.items) + ")";
    case PickleKind::Set:
      return "{" + all(n.items) + "}";
    case PickleKind::Dict:
      return "{:" + all(n.entries) + "}";
    case PickleKind::Global:
      return "<" + n.text + ">";
    case PickleKind::Persistent:
      return "P" + all(n.items);
    case PickleKind::Call:
      return "call(" + all(n.items) + "|" + all(n.entries) +
             (n.state == PickleNode::kNoState ? "" : "|" + shown(p, n.state, depth + 1)) + ")";
  }
  return "?";
}
std::string value_of(const std::string& bytes) {
  const Pickle p = parse_pickle(bytes, "x");
  return shown(p, p.root);
}
std::string pickle_error(const std::string& bytes) {
  return file_error_of([&] { parse_pickle(bytes, "x"); });
}

TEST(Pickle, NumbersOfAllProtocols) {
  EXPECT_EQ(value_of("I-7\n."), "-7");
  EXPECT_EQ(value_of("I01\n."), "True");
  EXPECT_EQ(value_of("L12L\n."), "12");
  EXPECT_EQ(value_of("F1.5\n."), "1.5000");
  EXPECT_EQ(value_of("G?\xf8\0\0\0\0\0\0."s), "1.5000");
  EXPECT_EQ(value_of("K\xff."), "255");
  EXPECT_EQ(value_of("M\x01\x02."), "513");
  EXPECT_EQ(value_of("J\xff\xff\xff\xff."), "-1");
  EXPECT_EQ(value_of("\x8a\x02\x00\xff."s), "-256");
  EXPECT_EQ(value_of("\x8a\x00."s), "0");
  EXPECT_EQ(value_of("\x8b\x09\0\0\0"s + "123456789."), "large9");
  EXPECT_EQ(value_of("(NI00\n\x88\x89t."), "(None False True False)");
}

TEST(Pickle, TextsOfAllProtocols) {
  EXPECT_EQ(value_of("S'a\\n\\x41\\\\'\n."), "'a\nA\\'");
  EXPECT_EQ(value_of("Va\\u00e4b\n."), "'aäb'");
  EXPECT_EQ(value_of("U\x02hi."), "'hi'");
  EXPECT_EQ(value_of("T\x02\0\0\0hi."s), "'hi'");
  EXPECT_EQ(value_of("X\x02\0\0\0hi."s), "'hi'");
  EXPECT_EQ(value_of("\x8c\x02hi."s), "'hi'");
  EXPECT_EQ(value_of("C\x02hi."), "b'hi'");
  EXPECT_EQ(value_of("\x96\x02\0\0\0\0\0\0\0hi."s), "b'hi'");
}

TEST(Pickle, Containers) {
  EXPECT_EQ(value_of("](K\x01K\x02"
                     "eK\x03"
                     "a."),
            "[1 2 3]");
  EXPECT_EQ(value_of("}(K\x01K\x02uK\x03K\x04s."), "{:1 2 3 4}");
  EXPECT_EQ(value_of("(K\x01(K\x02tt."), "(1 (2))");
  EXPECT_EQ(value_of("K\x01K\x02\x86\x85."), "((1 2))");
  EXPECT_EQ(value_of("\x8f(K\x01\x90."), "{1}");
  EXPECT_EQ(value_of("(K\x01lK\x02q\x05"
                     "0h\x05\x86."),
            "([1] 2)");
}

TEST(Pickle, CallsAreNotMade) {
  EXPECT_EQ(value_of("cposix\nsystem\n(X\x02\0\0\0lstR."s), "call(<posix system> ('ls')|)");
  EXPECT_EQ(value_of("\x8c\x05posix\x8c\x06system\x93)\x81}b."s), "call(<posix system> ()||{:})");
  EXPECT_EQ(value_of("(K\x01iposix\nsystem\n."), "call(<posix system> (1)|)");
  EXPECT_EQ(value_of("(cposix\nsystem\nK\x01o."), "call(<posix system> (1)|)");
  EXPECT_EQ(value_of("K\x07Q."), "P7");
}

TEST(Pickle, ValuesMayHoldThemselves) {
  EXPECT_EQ(value_of("]q\0h\0a."s).substr(0, 8), "[[[[[[[.");
}

TEST(Pickle, TellsWhereItEnds) { EXPECT_EQ(parse_pickle("K\x01.K\x02.", "x").size, 3u); }

TEST(Pickle, DamageIsNamedWithItsPlace) {
  EXPECT_EQ(pickle_error(""),
            "read_pickle: \"x\" has a bad pickle at byte 0: 1 bytes are needed, 0 "
            "are left.");
  EXPECT_EQ(pickle_error("NN\xff."),
            "read_pickle: \"x\" has a bad pickle at byte 2: there is no instruction 0xff.");
  EXPECT_EQ(pickle_error("."),
            "read_pickle: \"x\" has a bad pickle at byte 0: the stack is empty.");
  EXPECT_EQ(pickle_error("(."),
            "read_pickle: \"x\" has a bad pickle at byte 1: the stack is empty.");
  EXPECT_EQ(pickle_error("Nt."),
            "read_pickle: \"x\" has a bad pickle at byte 1: there is no mark.");
  EXPECT_EQ(pickle_error("h\x09."),
            "read_pickle: \"x\" has a bad pickle at byte 0: nothing was remembered as 9.");
  EXPECT_EQ(
      pickle_error("NNa."),
      "read_pickle: \"x\" has a bad pickle at byte 2: items are appended to what is no list.");
  EXPECT_EQ(pickle_error("NNb."),
            "read_pickle: \"x\" has a bad pickle at byte 2: a state is given to "
            "what is no object of a class.");
  EXPECT_EQ(pickle_error("(Nd."),
            "read_pickle: \"x\" has a bad pickle at byte 2: a key has no value.");
  EXPECT_EQ(pickle_error("\x8e\xff\xff\xff\xff\xff\xff\xff\xff."),
            "read_pickle: \"x\" has a bad pickle at byte 0: 18446744073709551615 bytes are needed, "
            "1 are left.");
  EXPECT_EQ(pickle_error("I9x\n."),
            "read_pickle: \"x\" has a bad pickle at byte 0: \"9x\" is no whole number of 64 bits.");
  EXPECT_EQ(pickle_error("\x82\x01."),
            "read_pickle: \"x\" has a bad pickle at byte 0: it needs codes of extensions.");
}

TEST(Pickle, HoldsNoMoreValuesThanItMay) {
  EXPECT_NE(pickle_error(std::string(5'000'000, ']') + ".").find("more than 4194304 values"),
            std::string::npos);
}

}  // namespace
}  // namespace tg::nn
