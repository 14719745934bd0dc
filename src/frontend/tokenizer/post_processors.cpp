// What is added to the tokens of a whole text: its beginning and end. See pipeline.h. Templates of
// pairs of texts are left aside.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/tokenizer/pipeline.h"

namespace tg::models {
namespace {

PostProcessor between(std::vector<int32_t> before, std::vector<int32_t> after) {
  return [before = std::move(before), after = std::move(after)](std::vector<int32_t> ids) {
    ids.insert(ids.begin(), before.begin(), before.end());
    ids.insert(ids.end(), after.begin(), after.end());
    return ids;
  };
}

// ["[CLS]", 101]
int32_t named_token(const JsonPart& part) {
  const auto both = part.items();
  if (both.size() != 2) part.fail("is no token with its number");
  return both[1].token_id();
}

// [{"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, …]
PostProcessor from_template(const JsonPart& part) {
  std::vector<int32_t> before, after;
  bool behind_text = false;
  for (const JsonPart& p : part["single"].items()) {
    const JsonPart special = p["SpecialToken"];
    if (special.is_null()) {
      if (p["Sequence"].is_null() || behind_text) p.fail("is neither a special token nor the text");
      behind_text = true;
      continue;
    }
    std::vector<int32_t>& side = behind_text ? after : before;
    for (const JsonPart& id : part["special_tokens"][special["id"].text()]["ids"].items())
      side.push_back(id.token_id());
  }
  if (!behind_text) part["single"].fail("has no place for the text");
  return between(std::move(before), std::move(after));
}

}  // namespace

PostProcessor read_post_processor(const JsonPart& part) {
  if (part.is_null()) return between({}, {});
  const std::string& type = part["type"].text();
  if (type == "Sequence") {
    std::vector<PostProcessor> steps;
    for (const JsonPart& p : part["processors"].items()) steps.push_back(read_post_processor(p));
    return [steps = std::move(steps)](std::vector<int32_t> ids) {
      for (const PostProcessor& step : steps) ids = step(std::move(ids));
      return ids;
    };
  }
  if (type == "ByteLevel") return between({}, {});  // it moves offsets, of which there are none here
  if (type == "TemplateProcessing") return from_template(part);
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return between({named_token(part["cls"])}, {named_token(part["sep"])});
  part.fail(fmt::format("is a post-processor of the unknown kind \"{}\"", type));
}

}  // namespace tg::models
