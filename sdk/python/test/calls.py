"""Calls through a server that breaks connections and replies with errors. Raises if an assertion fails."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from canvass_client import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    Canvass,
    CanvassError,
    ConflictError,
    GoneError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionFailedError,
    RateLimit,
    RateLimitError,
    UnprocessableEntityError,
)

replies = []
received = []
finished = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        received.append(self.headers)
        replies.pop(0)(self)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *args):
        pass


def send(handler, status, headers, content, length=None):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content) if length is None else length))
    handler.end_headers()
    handler.wfile.write(content)


def reply(status, body, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: send(handler, status, {"Content-Type": "application/json", **named}, json.dumps(body).encode())


def reset(handler):
    handler.close_connection = True


def half(handler):
    send(handler, 200, {"Content-Type": "application/json"}, b'{"id":', length=100)
    handler.close_connection = True


def outcome(call, *following):
    """Returns the result or the error of a call, and the headers of the requests that it caused."""
    replies[:] = following
    received.clear()
    try:
        result = call()
    except CanvassError as error:
        result = error
    assert not replies, "the client made too few requests"
    return result, list(received)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
canvass = Canvass(f"http://127.0.0.1:{server.server_port}", token="cvt_1", max_retry_delay=0.05)
v2, v3 = canvass.v2, canvass.v3
limits = {"RateLimit": '"address";r=9, "account";r=4;t=7', "RateLimit_Policy": '"account";q=5;w=60'}
found = reply(200, "OK", X_Request_Id="r1", **limits)

# Every fault is retried, and all attempts of a POST have one key.
statuses = [reply(status, {}) for status in (408, 429, 500, 502, 503, 504)]
for fault in (reset, half, *statuses, reply(409, {"code": "busy"})):
    result, _ = outcome(lambda: v3.with_response(v3.delete_survey, 1), fault, fault, found)
    assert (result.data, result.retries, result.request_id, result.status) == ("OK", 2, "r1", 200)
    assert result.rate_limit == RateLimit("account", 4, 7, 5, 60)


def add_tag(**options):
    return v3.add_tag(1, body={"name": "lunch"}, **options)


tag = reply(201, {"name": "lunch"})
in_progress = reply(409, {"code": "request_in_progress"}, Retry_After="0")
_, requests = outcome(add_tag, reset, reply(500, {}), in_progress, tag)
keys = {headers["Idempotency-Key"] for headers in requests}
assert len(requests) == 4 and len(keys) == 1 and all(len(key) == 36 for key in keys)
_, [request] = outcome(add_tag, tag)
assert request["Idempotency-Key"] not in keys
_, [request] = outcome(lambda: add_tag(idempotency_key="mine", headers={"X-Trace": "a"}), tag)
assert (request["Idempotency-Key"], request["X-Trace"]) == ("mine", "a")
assert request["User-Agent"].startswith("canvass-client-python/4.")

# The client does not retry after an error of the caller, or if `Retry-After` is longer than `max_retry_delay`.
CLASSES = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: UnprocessableEntityError,
}
for status, kind in CLASSES.items():
    error, _ = outcome(add_tag, reply(status, {"code": "x", "detail": "no"}))
    assert type(error) is kind and (error.status, str(error), error.code, error.retries) == (status, f"{status} no", "x", 0)
error, _ = outcome(add_tag, reply(429, {"code": "too_many_requests"}, Retry_After="9"))
assert isinstance(error, RateLimitError) and error.retry_after == 9
invalid = reply(500, {"code": "survey_error", "description": [["meal", "no such choice"]]})
error, _ = outcome(lambda: v2.create_response(1, body={"meal": "Cake"}), invalid)
assert isinstance(error, BadRequestError) and error.field_errors[0].field == "meal"

# The number of retries of the call takes precedence over that of the client.
error, _ = outcome(add_tag, reset, reset, reset, reset)
assert isinstance(error, APIConnectionError) and error.retries == 3 and error.maybe_applied
assert error.code == "connection_failed" and error.status is None and error.__cause__
error, _ = outcome(lambda: v3.get_survey(1, max_retries=1), reply(503, {}), reply(503, {}))
assert isinstance(error, InternalServerError) and error.retries == 1 and not error.maybe_applied

# A repeated DELETE can find nothing, because the first one succeeded.
error, _ = outcome(lambda: v3.delete_survey(1), reset, reply(404, {"code": "survey_not_found"}))
assert isinstance(error, NotFoundError) and error.maybe_applied
error, _ = outcome(lambda: v3.delete_survey(1), reply(503, {}), reply(404, {}))
assert isinstance(error, NotFoundError) and not error.maybe_applied

# The timeout of a call.
error, _ = outcome(lambda: v3.get_survey(1, timeout=0.1, max_retries=0), lambda handler: finished.wait(5))
assert isinstance(error, APITimeoutError) and error.code == "timeout"

# A download continues after a break if the file is the same.
content = b"meal,notes\r\nSoup,none\r\nCurry,all\r\n"


def part(start, end):
    def answer(handler):
        expected = (f"bytes={start}-", '"f1"') if start else (None, None)
        assert (handler.headers["Range"], handler.headers["If-Range"]) == expected
        headers = {"Content-Type": "text/csv", "ETag": '"f1"'}
        send(handler, 206 if start else 200, headers, content[start:end], length=len(content) - start)
        handler.close_connection = end < len(content)

    return answer


def rows():
    return list(v3.csv_rows(1, completed=1, timeout=20))


result, _ = outcome(rows, part(0, 5), part(5, 13), reset, part(13, len(content)))
assert result == [["meal", "notes"], ["Soup", "none"], ["Curry", "all"]]
error, _ = outcome(rows, part(0, 5), lambda handler: send(handler, 200, {"ETag": '"f2"'}, content))
assert isinstance(error, APIConnectionError) and "changed" in str(error)


# A proxy can hide that a connection broke. A download without a length is checked at its end.
def chunked(start, end):
    def answer(handler):
        assert handler.headers["Range"] == (f"bytes={start}-" if start else None)
        if start == len(content):
            return send(handler, 416, {"Content-Range": f"bytes */{start}"}, b"{}")
        handler.send_response(206 if start else 200)
        for name, value in {"Accept-Ranges": "bytes", "ETag": '"f1"', "Connection": "close"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content[start:end])

    return answer


whole, sent = outcome(rows, chunked(0, len(content)), chunked(len(content), len(content)))
assert (whole, len(sent)) == (result, 2)
cut, _ = outcome(rows, chunked(0, 12), chunked(12, len(content)), chunked(len(content), len(content)))
assert cut == result
newer, _ = outcome(rows, chunked(0, len(content)), lambda handler: send(handler, 200, {"ETag": '"f2"'}, content))
assert newer == result
error, _ = outcome(rows, chunked(0, 12), chunked(12, 12))
assert isinstance(error, APIConnectionError) and "before the end" in str(error)

finished.set()
server.shutdown()
server.server_close()
canvass.close()
try:
    Canvass(f"http://127.0.0.1:{server.server_port}", token="x", max_retries=0).v3.delete_survey(1)
    raise AssertionError("the server is open")
except APIConnectionError as refused:
    assert not refused.maybe_applied and "refused" in str(refused)
print("done")
