"""Sends the same request on several connections with a small receive buffer, and reads nothing until it is told to.

Arguments: port, path, number of connections. Each line of standard input with an index makes it read that connection to
the end; it prints the length of the reply's body, and the SHA-256 of the body without its keys.
"""

import hashlib
import re
import socket
import sys

port, path, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
clients = []
for _ in range(count):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    clients.append(client)
print("sent", flush=True)

for line in sys.stdin:
    reply = b""
    try:
        while chunk := clients[int(line)].recv(65536):
            reply += chunk
    except ConnectionResetError:
        pass
    body = reply.partition(b"\r\n\r\n")[2]
    digest = hashlib.sha256(re.sub(rb'[0-9a-f]{40}|name="_started" value="[^"]*"', b"", body)).hexdigest()
    print(len(body), digest, flush=True)
