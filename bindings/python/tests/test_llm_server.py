"""The server and the command line of language models, with a small model at random: answers,
streams, wrong requests, clients that hang up or say nothing. The model itself: test_llm.py."""
import contextlib
import http.client
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

from llm_files import model_file

from tinygrad_cpp.llm import cli, serve
from tinygrad_cpp.llm.api import MAX_BODY
from tinygrad_cpp.llm.model import Transformer
from tinygrad_cpp.llm.templates import FallbackTemplate
from tinygrad_cpp.llm.tokenizer import SimpleTokenizer

HELLO = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 5}
PATH = "/v1/chat/completions"


class Slow:
  """A model that says the same word until somebody stops it, and knows who uses it at once."""
  max_context = 1000

  def __init__(self):
    self.users, self.most, self.ended, self.last = 0, 0, threading.Event(), None

  def get_start_pos(self, ids):
    return 0

  def generate(self, ids, temperature):
    self.users += 1
    self.most = max(self.most, self.users)
    try:
      while True:
        time.sleep(0.01)
        yield 104
    finally:
      self.users -= 1
      self.ended.set()


class Served(unittest.TestCase):
  """What needs a server has one of the small model."""

  @classmethod
  def setUpClass(cls):
    with tempfile.TemporaryDirectory() as folder:
      path = pathlib.Path(folder) / "model.gguf"
      path.write_bytes(model_file("qwen3", context_length=160))
      cls.model, kv = Transformer.from_gguf(path)
    cls.tok = SimpleTokenizer.from_gguf_kv(kv)
    cls.log = io.StringIO()

  def setUp(self):
    self.serve(self.model)

  def serve(self, model):
    with contextlib.redirect_stdout(io.StringIO()):
      self.server = serve.LLMServer(("127.0.0.1", 0), model, "small", self.tok, FallbackTemplate(self.tok))
    server, thread = self.server, threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    errors = contextlib.redirect_stderr(self.log)
    errors.__enter__()

    def stop():
      server.shutdown()
      server.server_close()
      thread.join()
      errors.__exit__(None, None, None)
    self.addCleanup(stop)

  def ask(self, body, path=PATH, method="POST", headers=None):
    """(status, the answer's bytes)"""
    connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=30)
    data = json.dumps(body) if isinstance(body, dict) else body
    connection.request(method, path, data, headers or {})
    answer = connection.getresponse()
    result = answer.status, answer.read()
    connection.close()
    return result

  def answer(self, **changes):
    status, data = self.ask({**HELLO, **changes})
    self.assertEqual(status, 200, data)
    return json.loads(data)

  def error(self, *args, **kwargs):
    """(status, code, message) of a request that is refused."""
    status, data = self.ask(*args, **kwargs)
    error = json.loads(data)["error"]
    self.assertEqual(set(error), {"message", "type", "param", "code"})
    self.assertEqual(error["type"], "invalid_request_error")
    return status, error["code"], error["message"]


class Answers(Served):
  def test_an_answer_is_what_the_model_says(self):
    ids = self.tok.encode(FallbackTemplate(self.tok).render(HELLO["messages"]))
    count = len(ids)
    tokens = [token for _, token in zip(range(5), self.model.generate(list(ids)))]
    self.assertNotIn(self.tok.eos_id, tokens)
    got = self.answer(model="mine")
    self.assertEqual(got["choices"], [{"index": 0, "finish_reason": "length",
                                       "message": {"role": "assistant", "content": self.tok.decode(tokens)}}])
    self.assertEqual((got["object"], got["model"], got["usage"]), (
      "chat.completion", "mine", {"prompt_tokens": count, "completion_tokens": 5, "total_tokens": count + 5}))
    self.assertTrue(got["id"].startswith("chatcmpl-"))
    self.assertIn("out:    5", self.log.getvalue())

  def test_a_stream_is_the_answer_in_pieces(self):
    whole = self.answer()["choices"][0]
    status, data = self.ask({**HELLO, "stream": True, "stream_options": {"include_usage": True}})
    lines = data.decode().split("\n\n")
    self.assertEqual((status, lines[-2:]), (200, ["data: [DONE]", ""]))
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    self.assertEqual(chunks[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    self.assertEqual((text, chunks[-2]["choices"][0]["finish_reason"]), (whole["message"]["content"], "length"))
    self.assertEqual((chunks[-1]["choices"], chunks[-1]["usage"]["completion_tokens"]), ([], 5))
    self.assertEqual({c["object"] for c in chunks}, {"chat.completion.chunk"})
    self.assertNotIn(b"usage", self.ask({**HELLO, "stream": True})[1])

  def test_an_answer_ends_before_a_text_that_is_to_stop_it(self):
    text = self.answer(max_tokens=20)["choices"][0]["message"]["content"]
    got = self.answer(max_tokens=20, stop=text[3:5])["choices"][0]
    self.assertEqual((got["message"]["content"], got["finish_reason"]), (text[:text.index(text[3:5])] or None, "stop"))

  def test_an_answer_ends_where_the_context_does(self):
    choice = self.answer(max_tokens=None)["choices"][0]
    self.assertEqual(choice["finish_reason"], "length")

  def test_pages_and_names(self):
    status, data = self.ask(None, "/", "GET")
    self.assertTrue(status == 200 and data.startswith(b"<!DOCTYPE html>") and b"innerHTML" not in data)
    status, data = self.ask(None, "/v1/models", "GET")
    self.assertEqual((status, json.loads(data)), (200, {"object": "list", "data": [{"id": "small", "object": "model"}]}))

  def test_two_clients_get_what_one_gets(self):
    alone = [self.answer(messages=[{"role": "user", "content": text}])["choices"] for text in ("hello", "world")]
    got = {}
    threads = [threading.Thread(target=lambda i=i, text=text: got.update(
      {i: self.answer(messages=[{"role": "user", "content": text}])["choices"]}))
      for i, text in enumerate(("hello", "world") * 3)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    self.assertEqual([got[i] for i in range(6)], alone * 3)


class WrongRequests(Served):
  def test_what_is_no_request_is_said(self):
    many = {"role": "user", "content": "hello " * 100}
    for change, code, message in (
        (b"{", "invalid_json", "no JSON"), (b"[" * 100_000, "invalid_json", "no JSON"), (b"[]", "invalid_json", "JSON object"),
        (b"\xff", "invalid_json", "no JSON"), ({"messages": []}, "invalid_value", "'messages' is a list of messages"),
        ({"messages": [3]}, "invalid_value", r"'messages[0]' is an object"),
        ({"messages": [{"role": "user", "content": 3}]}, "invalid_value", "text or a list of parts: 3"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "invalid_value", "one of type 'image_url'"),
        ({"messages": [{"role": "user", "tool_calls": [3]}]}, "invalid_value", "list of calls"),
        ({"temperature": "hot"}, "invalid_value", "at least 0: \"hot\""), ({"temperature": -1}, "invalid_value", "at least 0"),
        ({"max_tokens": 0}, "invalid_value", "at least 1: 0"), ({"n": 2}, "invalid_value", "one answer"),
        ({"stop": [""]}, "invalid_value", "'stop' is"), ({"stream_options": 3}, "invalid_value", "is an object"),
        ({"messages": [many]}, "context_length_exceeded", "but the model context is 160")):
      status, got, text = self.error({**HELLO, **change} if isinstance(change, dict) else change)
      self.assertEqual((status, got), (400, code))
      self.assertIn(message, text)
    self.answer()

  def test_paths_methods_and_pages_from_elsewhere(self):
    self.assertEqual(self.error(HELLO, "/v1/other")[:2], (404, "not_found"))
    self.assertEqual(self.error(None, "/favicon.ico", "GET")[:2], (404, "not_found"))
    self.assertEqual(json.loads(self.ask(None, "/", "BREW")[1])["error"]["type"], "server_error")
    self.assertEqual(self.error(HELLO, headers={"Origin": "http://evil.example"})[:2], (403, "forbidden"))
    own = f"http://127.0.0.1:{self.server.server_address[1]}"
    self.assertEqual(self.ask(HELLO, headers={"Origin": own})[0], 200)

  def test_a_body_has_a_length_within_bounds(self):
    self.assertEqual(self.error(iter([b"{}"]), headers={"Transfer-Encoding": "chunked"})[:2], (411, "length_required"))
    status, code, text = self.error(b" " * (MAX_BODY + 1))
    self.assertEqual((status, code), (413, "request_too_large"))
    self.assertIn(f"{MAX_BODY} are allowed", text)

  def test_a_model_that_fails_is_an_error_of_the_server(self):
    model = Slow()
    self.serve(model)
    for error in (serve.Error("out of order"), ZeroDivisionError("out of order")):
      model.generate = lambda ids, temperature, error=error: (_ for _ in ()).throw(error)
      status, data = self.ask(HELLO)
      self.assertEqual((status, json.loads(data)["error"]["type"]), (500, "server_error"))
      status, data = self.ask({**HELLO, "stream": True})
      self.assertIn(f'"message": "{type(error).__name__}: out of order"'.encode(), data)
      self.assertTrue(data.endswith(b"data: [DONE]\n\n"))
      self.assertEqual(data.count(b"HTTP/"), 0)


class Clients(Served):
  def setUp(self):
    self.slow = Slow()
    self.serve(self.slow)

  def begin(self, body, end=b""):
    """A connection on which a request was sent."""
    client = socket.create_connection(self.server.server_address)
    data = json.dumps(body).encode()
    client.sendall(f"POST {PATH} HTTP/1.0\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data + end)
    return client

  def test_one_that_hangs_up_frees_the_model(self):
    for is_stream in (True, False):
      self.slow.ended.clear()
      client = self.begin({**HELLO, "max_tokens": None, "stream": is_stream})
      while not self.slow.users:
        time.sleep(0.01)
      client.close()
      self.assertTrue(self.slow.ended.wait(10), f"stream={is_stream}")
    self.assertEqual(self.answer(max_tokens=2)["usage"]["completion_tokens"], 2)

  def test_one_that_says_nothing_stops_no_other(self):
    with socket.create_connection(self.server.server_address):
      self.assertEqual(self.answer(max_tokens=2)["usage"]["completion_tokens"], 2)

  def test_one_after_the_other_gets_the_model(self):
    clients = [self.begin({**HELLO, "max_tokens": 20}) for _ in range(3)]
    for client in clients:
      with client, client.makefile("rb") as answer:
        self.assertIn(b"200", answer.readline())
    self.assertEqual(self.slow.most, 1)

  def test_the_end_of_the_server_ends_an_answer(self):
    with self.begin({**HELLO, "max_tokens": None}) as client:
      while not self.slow.users:
        time.sleep(0.01)
      self.server.shutdown()
      begin = time.perf_counter()
      self.server.server_close()
      self.assertLess(time.perf_counter() - begin, 5)
      self.assertIn(b"the server is stopping", client.makefile("rb").read())


class CommandLine(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.folder = tempfile.TemporaryDirectory()
    cls.addClassCleanup(cls.folder.cleanup)
    cls.file = os.path.join(cls.folder.name, "model.gguf")
    pathlib.Path(cls.file).write_bytes(model_file("qwen3"))

  def start(self, *args):
    return subprocess.Popen([sys.executable, "-m", "tinygrad_cpp.llm", *args], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

  def run_with(self, *args, stdin=""):
    """(status, standard output, standard error)"""
    with self.start(*args) as program:
      out, err = program.communicate(stdin, timeout=120)
    return program.returncode, out, err

  def test_help_says_all(self):
    status, out, err = self.run_with("--help")
    self.assertEqual((status, err), (0, ""))
    for word in ("--model", "--max_context", "--temperature", "--serve", "--host", "--warmup", "--benchmark", "Ctrl-C",
                 "REALIZE=1", *cli.models):
      self.assertIn(word, out)

  def test_mistakes_are_one_line(self):
    broken = os.path.join(self.folder.name, "broken.gguf")
    pathlib.Path(broken).write_bytes(b"GGUF" + bytes(40))
    other = os.path.join(self.folder.name, "other.gguf")
    pathlib.Path(other).write_bytes(model_file("gemma3"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
      port = str(taken.getsockname()[1])
      for args, text in ((["-m", "/no/such.gguf"], "no such file, and no model of that name: '/no/such.gguf'. Hint: "),
                         (["-m", broken], "read_gguf: "), (["-m", self.folder.name], "no such file"),
                         (["-m", other], "architecture is not supported: 'gemma3'"),
                         (["-m", self.file, "--serve", port], f"cannot listen on 127.0.0.1:{port}")):
        status, _, err = self.run_with(*args)
        self.assertEqual((status, len(err.splitlines())), (1, 1), err)
        self.assertTrue(err.startswith("error: "))
        self.assertIn(text, err)
    for args in (["--max_context", "0"], ["--serve", "70000"], ["--temperature", "-1"], ["--benchmark", "x"]):
      with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()) as err:
        cli.parser().parse_args(args)
      self.assertEqual((end.exception.code, err.getvalue().count("error: argument")), (2, 1))

  def test_it_measures(self):
    status, out, _ = self.run_with("-m", self.file, "--benchmark", "3")
    self.assertEqual((status, out.count(" tok/s")), (0, 3))
    self.assertIn("using model \"a small model\"", out)

  def test_it_chats(self):
    status, out, err = self.run_with("-m", self.file, stdin="hello\nhello\nhello\n")
    self.assertEqual((status, err), (0, ""))
    self.assertEqual(out.count(">>> "), 4)
    self.assertIn("the oldest turn is forgotten", out)
    self.assertEqual(out.count("[the context is full]"), 3)

  def test_whole_turns_are_forgotten(self):
    tok = SimpleTokenizer({"h": 0}, {}, "olmo")
    template, messages = FallbackTemplate(tok), [{"role": role, "content": "h" * 20} for role in ("user", "assistant", "user")]
    template.role, template.end_turn = lambda _: "h", lambda: ""
    with contextlib.redirect_stdout(io.StringIO()):
      ids = cli._prompt(unittest.mock.Mock(max_context=50), tok, template, messages)
    self.assertEqual(([m["role"] for m in messages], len(ids)), (["user"], 22))

  def test_ctrl_c_ends_an_answer_and_not_the_chat(self):
    tok = SimpleTokenizer({"h": 0}, {"<|im_end|>": 1}, "qwen2", eos_id=1)

    class Model:
      max_context = 1000

      def generate(self, ids, temperature):
        yield 0
        raise KeyboardInterrupt
    asked = iter(["h", "hh"])
    template = FallbackTemplate(tok)
    template.render = lambda messages, add_generation_prompt: said.append([m["content"] for m in messages]) or "h"
    said, out = [], io.StringIO()
    with contextlib.redirect_stdout(out), unittest.mock.patch("builtins.input", lambda _: next(asked)), \
         self.assertRaises(StopIteration):
      cli.chat(Model(), tok, template)
    self.assertEqual(said, [["h"], ["h", "h", "hh"]])
    self.assertEqual(out.getvalue(), "h[interrupted]\n\n" * 2)

  def test_it_serves_until_ctrl_c(self):
    with self.start("-m", self.file, "--serve", "0", "--max_context", "64") as program:
      try:
        line = next(line for line in program.stdout if "127.0.0.1:" in line)
        connection = http.client.HTTPConnection(line.split("//")[1].split()[0], timeout=60)
        connection.request("POST", PATH, json.dumps(HELLO))
        self.assertEqual(json.loads(connection.getresponse().read())["usage"]["completion_tokens"], 5)
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
      finally:
        program.kill()
    self.assertEqual(program.returncode, 0, err)
    self.assertNotIn("Traceback", err)


if __name__ == "__main__":
  unittest.main()
