"""A server that answers chats by OpenAI's API, and a page to chat on (chat_page.py). Each request
has a thread, and one after the other gets the model. What requests and answers consist of: api.py,
what is in a model's text: replies.py. It is for one's own machine or net: it knows no keys."""
import contextlib
import json
import select
import socket
import socketserver
import threading
import time

from tinygrad_cpp.errors import CancelledError, Error
from tinygrad_cpp.helpers import DEBUG, colored, stderr_log
from tinygrad_cpp.llm.api import (MAX_BODY, ApiError, ChatRequest, Chunks, error_body, tool_call,
                                  whole_answer)
from tinygrad_cpp.llm.chat_page import PAGE
from tinygrad_cpp.llm.replies import (StopTexts, StreamRouter, find_tool_calls, normalize_messages,
                                      parse_tool_call)  # noqa: F401
from tinygrad_cpp.viz.serve import HTTPRequestHandler, TCPServerWithReuse

_DRAINED = 4 * MAX_BODY  # of what is too large, so that the client comes to read why
_SILENCE_S = 60          # until a client that neither sends nor reads is left
_LAST_TOKEN_S = 10       # that the end of the server waits for


class _Progress:
  """What an answer took, for the line that is logged of it."""

  def __init__(self, prompt, seen):
    self.prompt, self.seen, self.out = prompt, seen, 0
    self.start = self.first = time.perf_counter()

  def token(self):
    """A token came."""
    if self.out == 0:
      self.first = time.perf_counter()
    self.out += 1

  def log(self, is_whole):
    """The line; the time is red if the client did not wait for the end."""
    end, bar = time.perf_counter(), f"  {colored('--', 'BLACK')}  "
    prefill = (self.prompt - self.seen) / max(self.first - self.start, 1e-9) if self.out else 0
    speed = (self.out - 1) / max(end - self.first, 1e-9) if self.out > 1 else 0
    total = f"total:{end - self.start:6.2f}s"
    stderr_log(bar.join([f"in:{colored(f'{self.seen:5d}', 'green')} +{self.prompt - self.seen:5d}",
                         f"prefill:{prefill:5.0f} tok/s", f"gen:{speed:4.0f} tok/s",
                         f"out:{self.out:5d}",
                         total if is_whole else colored(total, "red")]) + "\n")


def _as_generator(tokens):
  """An iterable as a generator, which can be closed."""
  yield from tokens


def _generated(server, ids, chunks, progress, max_tokens, temperature, reasoning, stop):
  """Yields the chunks of what the model says; gives why it ended."""
  router, stops, finish = StreamRouter(reasoning), StopTexts(stop), "stop"
  decode = server.tok.stream_decoder()
  said = _as_generator(server.model.generate(ids, temperature=temperature))
  with contextlib.closing(said) as tokens:
    for token in tokens:
      if server.is_stopping:
        raise CancelledError("run_model: the server is stopping.")
      if server.tok.is_end(token):
        break
      progress.token()
      for name, text in router.route(stops.feed(decode(token))):
        yield chunks.delta(**{name: text})
      if stops.found:
        break
      if max_tokens is not None and progress.out >= max_tokens:
        finish = "length"
        break
    else:
      finish = "length" if len(ids) >= server.model.max_context else "stop"
  rest = "" if stops.found else stops.feed(decode(), final=True)
  for name, text in router.route(rest, final=True):
    yield chunks.delta(**{name: text})
  calls = yield from _tool_calls(router, chunks)
  return "tool_calls" if calls and finish == "stop" else finish


def _tool_calls(router, chunks):
  """Yields the chunk of the calls of tools that the model made; gives how many."""
  calls = []
  for parsed, text in find_tool_calls(router.buf) if router.mode == "tool" else ():
    if parsed is None:
      yield chunks.delta(content=text)  # what is no call is not lost
    else:
      calls.append(tool_call(len(calls), *parsed))
  if calls:
    yield chunks.delta(tool_calls=calls)
  return len(calls)


class Handler(HTTPRequestHandler):
  """One request."""
  timeout = _SILENCE_S

  def log_message(self, format, *args):
    """Requests are logged by their answers."""

  def _send(self, body, status=200):
    self.send_data(json.dumps(body).encode(), status_code=status)

  def send_error(self, code, message=None, explain=None):
    """What http.server itself refuses: another method, a line that is no request."""
    self._send(error_body(message or f"the request is refused: {code}", code), code)

  @contextlib.contextmanager
  def _answering(self):
    """Errors of the block go to the client; one that has gone ends the block."""
    try:
      yield
    except ApiError as error:
      self._send(error.body, error.status)
    except (ConnectionError, TimeoutError):
      self.close_connection = True
    except Exception as error:
      stderr_log(f"{self.path}: {type(error).__name__}: {error}\n")
      self._send(error_body(f"{type(error).__name__}: {error}"), 500)

  def do_GET(self):
    """The page, or the model's name."""
    with self._answering():
      path, model = self.path.partition("?")[0], {"id": self.server.model_name, "object": "model"}
      if path in ("/", "/index.html"):
        self.send_data(PAGE.encode(), content_type="text/html; charset=utf-8")
      elif path == "/v1/models":
        self._send({"object": "list", "data": [model]})
      else:
        raise ApiError(404, f"there is no such path: GET {path}", code="not_found")

  def do_POST(self):
    """An answer to a chat."""
    with self._answering():
      self._check_origin()
      data = self._body()
      if self.path.partition("?")[0] != "/v1/chat/completions":
        raise ApiError(404, f"there is no such path: POST {self.path}", code="not_found")
      request = ChatRequest.of(data, self.server.model_name)
      if DEBUG >= 1:
        stderr_log(data.decode(errors="replace") + "\n")
      self._answer(request)

  def _check_origin(self):
    """Pages from elsewhere do not use the model of those who look at them."""
    origin = self.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != self.headers.get("Host"):
      raise ApiError(403, f"pages of {origin} may not use this server", code="forbidden")

  def _body(self):
    length = self.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()):
      raise ApiError(411, "the request has to say its length (Content-Length)",
                     code="length_required")
    length = int(length)
    if length > MAX_BODY:
      left = min(length, _DRAINED)
      while left > 0 and (block := self.rfile.read(min(left, 1 << 20))):
        left -= len(block)
      raise ApiError(413, f"the request has {length} bytes, {MAX_BODY} are allowed",
                     code="request_too_large")
    data = self.rfile.read(length)
    if len(data) < length:
      raise ConnectionAbortedError
    return data

  def _prompt(self, request):
    """(the text, its tokens) that the messages become."""
    normalize_messages(request.messages)
    try:
      text = self.server.template.render(messages=request.messages, tools=request.tools,
                                         add_generation_prompt=True, preserve_thinking=True)
      ids = self.server.tok.encode(text)
    except (Error, KeyError) as error:  # a template misses what the messages do not have
      raise ApiError(400, str(error), "messages", "invalid_value") from None
    if len(ids) >= self.server.model.max_context:
      raise ApiError(400, f"prompt has {len(ids)} tokens, but the model context is "
                     f"{self.server.model.max_context}", "messages", "context_length_exceeded")
    return text, ids

  def _answer(self, request):
    text, ids = self._prompt(request)
    chunks = self.run_model(ids, request.model, request.wants_usage, request.max_tokens,
                            request.temperature, text.rstrip().endswith("<think>"), request.stop)
    heard = self._while_heard(chunks)
    if request.is_stream:
      self.stream_json(self._with_errors(heard))
    else:
      self._send(whole_answer(heard))

  def _is_gone(self):
    """Whether the client has closed the connection."""
    if not select.select([self.connection], [], [], 0)[0]:
      return False
    return not self.connection.recv(1, socket.MSG_PEEK)

  def _while_heard(self, chunks):
    """The chunks; a client that has gone ends the generation at the next one."""
    with contextlib.closing(chunks):
      for chunk in chunks:
        if self._is_gone():
          raise ConnectionResetError
        yield chunk

  def _with_errors(self, chunks):
    """The chunks; what fails after the answer began is the last of them."""
    with contextlib.closing(chunks):
      try:
        yield from chunks
      except (ConnectionError, TimeoutError):
        raise
      except Exception as error:
        yield error_body(f"{type(error).__name__}: {error}")

  def run_model(self, ids, model_name, include_usage=False, max_tokens=None, temperature=0.0,
                reasoning=False, stop=()):
    """Yields the chunks of an answer to a prompt of tokens. `reasoning`: it begins amid thoughts.
    Waits until other answers are done, and may be closed at any time."""
    server, chunks = self.server, Chunks(model_name)
    with server.turn:
      progress, is_whole = _Progress(len(ids), server.model.get_start_pos(ids)), False
      try:
        yield chunks.delta(role="assistant", content="")
        finish = yield from _generated(server, ids, chunks, progress, max_tokens, temperature,
                                       reasoning, stop)
        yield chunks.delta(finish)
        if include_usage:
          yield chunks.usage(progress.prompt, progress.out)
        is_whole = True
      finally:
        progress.log(is_whole)


class LLMServer(socketserver.ThreadingMixIn, TCPServerWithReuse):
  """Serves a model under its name: LLMServer((host, port), ...).serve_forever(). `template.render`
  makes a text of messages, `tok` tokens of that."""
  daemon_threads = True

  def __init__(self, server_address, model, model_name, tok, template):
    self.model, self.model_name, self.tok, self.template = model, model_name, tok, template
    self.turn, self.is_stopping = threading.Lock(), False
    super().__init__(server_address, Handler)

  def handle_error(self, request, client_address):
    """Of a connection that failed outside an answer there is nobody to tell."""

  def server_close(self):
    """Ends the answer that is being made at its next token, and frees the port."""
    self.is_stopping = True
    if self.turn.acquire(timeout=_LAST_TOKEN_S):
      self.turn.release()
    super().server_close()
