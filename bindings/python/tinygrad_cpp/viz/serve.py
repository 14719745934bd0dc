"""A small HTTP server for programs: JSON answers, and streams of them as server-sent events."""
import json
import socketserver
import time
from http.server import BaseHTTPRequestHandler

_START = time.perf_counter()


class TCPServerWithReuse(socketserver.TCPServer):
  """A server whose port is free again as soon as it ends; says where it listens."""
  allow_reuse_address = True

  def __init__(self, server_address, RequestHandlerClass):
    super().__init__(server_address, RequestHandlerClass)
    print(f"*** started server on http://127.0.0.1:{self.server_address[1]} at {time.perf_counter() - _START:.2f} s")


class HTTPRequestHandler(BaseHTTPRequestHandler):
  """Answers with bytes or with a stream."""

  def send_data(self, data, content_type="application/json", status_code=200):
    """One answer."""
    self.send_response(status_code)
    self.send_header("Content-Type", content_type)
    self.send_header("Content-Length", str(len(data)))
    self.end_headers()
    return self.wfile.write(data)

  def stream_json(self, source):
    """What a generator gives, an event each, then [DONE]; closes the generator when the client has gone."""
    try:
      self.send_response(200)
      self.send_header("Content-Type", "text/event-stream")
      self.send_header("Cache-Control", "no-cache")
      self.end_headers()
      for part in source:
        self.wfile.write(f"data: {json.dumps(part)}\n\n".encode())
        self.wfile.flush()
      self.wfile.write(b"data: [DONE]\n\n")
    except (BrokenPipeError, ConnectionResetError):
      source.close()
