"""What is text of language models: tokens and back, conversations as one text, and what stands in a
model's answer. The models themselves: test_llm.py."""
import os
import random
import time
import unittest

from llm_files import BEGIN, END, WORDS, spelled

from tinygrad_cpp import ArgumentError, Error, FileError, OutOfRangeError
from tinygrad_cpp.llm.replies import StopTexts, StreamRouter, parse_tool_call
from tinygrad_cpp.llm.templates import FallbackTemplate, chat_template
from tinygrad_cpp.llm.tokenizer import SimpleTokenizer

try:
  import jinja2
except ImportError:
  jinja2 = None

SEED = int(os.environ.get("SEED", random.randrange(1 << 30)))

STRINGS = ["", " ", "hello", "hello world", " hello", "\n\n \t\n", "a" * 300, "000000000", "naïve café 😊👩‍👩‍👧",
           "中文 текст ١٢٣ ²³№", "\x00\x01\x7f\x85\u2028\ufeff", "it's I'LL don't 'S", "<|im_end", "<|im_end|", "|>",
           " \x850", "e\u0301\u200d", "((())) {}[] !!! --", "\r\n\r\n", "x\u00a0\u3000y", "𝔘𝔫𝔦 \U0003fffd"]


class Tokens(unittest.TestCase):
  def setUp(self):
    self.tok = SimpleTokenizer({spelled(w): i for i, w in enumerate(WORDS)}, {"<|begin|>": BEGIN, "<|im_end|>": END}, "qwen2",
                               eos_id=END)

  def test_texts_come_back_as_they_were(self):
    r = random.Random(SEED)
    points = [*range(32, 127), 10, 13, 9, 0x85, 0xe9, 0x301, 0x4e2d, 0x1f60a, 0xd7ff, 0x10ffff]
    strings = STRINGS + ["".join(chr(r.choice(points)) for _ in range(r.randrange(40))) for _ in range(200)]
    for preset in ("llama3", "qwen2", "olmo", "tekken"):
      tok = SimpleTokenizer({spelled(w): i for i, w in enumerate(WORDS)}, {"<|im_end|>": END}, preset)
      for text in strings:
        ids = tok.encode(text)
        self.assertEqual(tok.decode(ids), text, f"SEED={SEED}")
        decode = tok.stream_decoder()
        self.assertEqual("".join(decode(i) for i in ids) + decode(), text, f"SEED={SEED}")

  def test_what_is_left_of_a_character_comes_at_the_end(self):
    decode = self.tok.stream_decoder()
    self.assertEqual([decode(0xc3), decode(0xa9), decode(0xc3), decode()], ["", "é", "", "\ufffd"])

  def test_half_a_surrogate_pair_is_no_failure(self):
    self.assertEqual(self.tok.decode(self.tok.encode("a\ud800b")), "a?b")

  def test_special_tokens_are_found_in_texts_and_nowhere_else(self):
    self.assertEqual(self.tok.encode("ab<|im_end|><|begin|>"), [WORDS.index(b"ab"), END, BEGIN])
    self.assertNotIn(END, self.tok.encode("<|im_end |><|im_en"))
    self.assertTrue(self.tok.is_end(END) and not self.tok.is_end(BEGIN))
    tok = SimpleTokenizer({"a": 0, "b": 1}, {"<x>": 2, "<x>b": 3, "": 4})
    self.assertEqual(tok.encode("a<x>ba<x>"), [0, 3, 0, 2])

  def test_pairs_are_joined_as_by_looking_through_all_of_them(self):
    def slowly(word, ranks):
      parts = [bytes([b]) for b in word]
      while True:
        pairs = [(ranks[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in ranks]
        if not pairs:
          return [ranks[p] for p in parts]
        i = min(pairs)[1]
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    r = random.Random(SEED)
    for _ in range(100):
      words = [bytes(r.choice(b"ab") for _ in range(r.randint(2, 5))) for _ in range(12)]
      vocabulary = list(dict.fromkeys([b"a", b"b", *words]))
      tok = SimpleTokenizer({w.decode(): i for i, w in enumerate(vocabulary)}, {})
      word = bytes(r.choice(b"ab") for _ in range(r.randint(1, 30)))
      ranks = {w: i for i, w in enumerate(vocabulary)}
      expected = [ranks[word]] if word in ranks else slowly(word, ranks)
      self.assertEqual(tok.encode(word.decode()), expected, f"SEED={SEED}")

  def test_one_long_word_takes_no_squared_time(self):
    begin = time.perf_counter()
    self.assertEqual(len(self.tok.encode("ab" * 100_000)), 100_000)
    self.assertLess(time.perf_counter() - begin, 5)

  def test_tokenizers_that_cannot_be_are_named(self):
    kv = {"tokenizer.ggml.tokens": ["a"], "tokenizer.ggml.token_type": [1], "tokenizer.ggml.pre": "qwen2"}
    self.assertEqual(SimpleTokenizer.from_gguf_kv(kv).encode("aa"), [0, 0])
    for change, error, pattern in (({"tokenizer.ggml.model": "llama"}, ArgumentError, "not supported: 'llama'. Hint: "),
                                   ({"tokenizer.ggml.pre": "bloom"}, ArgumentError, "not supported: 'bloom'. Hint: "),
                                   ({"tokenizer.ggml.tokens": None}, FileError, r"lacks facts: tokenizer\.ggml\.tokens")):
      with self.assertRaisesRegex(error, pattern):
        SimpleTokenizer.from_gguf_kv({k: v for k, v in {**kv, **change}.items() if v is not None})
    with self.assertRaisesRegex(ArgumentError, r"token not found: .* b'b' in b'ab'"):
      SimpleTokenizer({"a": 0}, {}).encode("ab")
    with self.assertRaisesRegex(OutOfRangeError, "no token of this number: 7"):
      SimpleTokenizer({"a": 0}, {}).decode([7])


class Templates(unittest.TestCase):
  def setUp(self):
    self.tok = SimpleTokenizer({spelled(w): i for i, w in enumerate(WORDS)}, {"<|begin|>": BEGIN, "<|im_end|>": END}, "qwen2",
                               bos_id=BEGIN, eos_id=END)

  def test_conversations_become_texts(self):
    parts = [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]
    messages = [{"role": "system", "content": "be"}, {"role": "user", "content": parts}, {"role": "assistant"}]
    self.assertEqual(FallbackTemplate(self.tok).render(messages),
                     "<|begin|><|im_start|>system\nbe<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
                     "<|im_start|>assistant\n<|im_end|>\n<|im_start|>assistant\n")
    for content in (7, [{"type": "image_url"}]):
      with self.assertRaisesRegex(ArgumentError, "render: "):
        FallbackTemplate(self.tok).render([{"role": "user", "content": content}])

  @unittest.skipIf(jinja2 is None, "jinja2 is not installed")
  def test_templates_of_files_run_and_reach_nothing_else(self):
    source = ("{{ bos_token }}{% for m in messages %}\n  {% if m.role == 'x' %}{{ raise_exception('no x') }}{% endif %}\n"
              "{{ m.content }}{{ tools | tojson }}{{ eos_token }}{% endfor %}")
    template = chat_template({"tokenizer.chat_template": source}, self.tok)
    self.assertEqual(template.render(messages=[{"role": "user", "content": "<é>"}], tools=["<é>"]),
                     '<|begin|><é>["<é>"]<|im_end|>')
    with self.assertRaisesRegex(ArgumentError, "refuses the messages: no x"):
      template.render(messages=[{"role": "x"}])
    for evil in ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ messages.append(1) }}"):
      with self.assertRaises(Error):
        chat_template({"tokenizer.chat_template": evil}, self.tok).render(messages=[])


class Replies(unittest.TestCase):
  def test_answers_are_sorted_wherever_they_are_cut(self):
    text, r = "<think>a<b</think>c <tool_calx<tool_call>{}</tool_call>", random.Random(SEED)
    for _ in range(100):
      router, got = StreamRouter(), {"content": "", "reasoning_content": ""}
      cuts = sorted(r.randrange(len(text)) for _ in range(r.randrange(12)))
      pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
      for piece, final in [*((p, False) for p in pieces), ("", True)]:
        for field, part in router.route(piece, final):
          got[field] += part
      self.assertEqual((got, router.buf), ({"content": "c <tool_calx", "reasoning_content": "a<b"},
                                           "<tool_call>{}</tool_call>"), f"SEED={SEED}")

  def test_a_text_ends_before_what_is_to_stop_it(self):
    stops = StopTexts(["END", "\n\n"])
    self.assertEqual([stops.feed(p) for p in ("aE", "Nx\n", "bEN", "D", "c")][:4], ["a", "ENx", "\nb", ""])
    self.assertTrue(stops.found)
    self.assertEqual(StopTexts(["END"]).feed("aEN", final=True), "aEN")

  def test_what_is_no_call_of_a_tool_is_none(self):
    self.assertEqual(parse_tool_call('{"name": "f", "parameters": {"a": 1}}'), ("f", {"a": 1}))
    self.assertEqual(parse_tool_call("<function=f><parameter=a>\nx\n</parameter><parameter=b>2</parameter></function>"),
                     ("f", {"a": "x", "b": 2}))
    for text in ("", "hello", "{", '{"nome": 1}', "<function>"):
      self.assertIsNone(parse_tool_call(text))


if __name__ == "__main__":
  unittest.main()
