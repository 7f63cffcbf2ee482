"""Sends events over line protocol 1 (docs/devices/line-protocol-1.md), with the standard library.

python3 sender.py HOST PORT UNIT BOOT EVENT...     an event is code and fields: CO,1 or CD,9S,P
BOOT must be higher at each start. Ends with status 0 once the gateway has everything on disk.
"""
import socket
import sys
import time
import zlib


def fields_of(data):
    """Returns the fields of a line, or an empty type if it is damaged."""
    body, _, crc = data[data.rfind(b"$") + 1 :].rstrip().rpartition(b"*")
    return body.decode().split(",") if crc == b"%08X" % zlib.crc32(body) else [""]


def run(host, port, unit, boot, *codes):
    def ms():
        return int(time.monotonic() * 1000)

    made = [f"E,{boot},{seq},{ms()},{code}" for seq, code in enumerate(["ON,1.0", *codes], 1)]
    acked, sent, wait, retry, busy, buffer = 0, 0, 0.5, 0.0, 0.0, b""
    link = socket.create_connection((host, int(port)), timeout=10)
    link.settimeout(0.1)

    def say(body):
        link.sendall(f"${body}*{zlib.crc32(body.encode()):08X}\n".encode())
        return time.monotonic() + 5  # when to say I

    def hello():
        return say(f"H,1,{unit},1.0,{boot},{ms()},{len(made)},{acked + 1}")

    idle = hello()
    while acked < len(made):
        now = time.monotonic()
        if now >= busy and sent > acked and now >= retry:
            idle = say(made[acked])  # the oldest again, ever more slowly
            wait = min(2 * wait, 8)
            retry = now + wait
        while now >= busy and sent < min(len(made), acked + 8):
            idle = say(made[sent])
            retry = now + wait if sent == acked else retry
            sent += 1
        if now >= idle:
            idle = say(f"I,{boot},{ms()},{len(made)}")
        try:
            data = link.recv(4096)
        except TimeoutError:
            continue
        if not data:
            return 1  # the gateway closed the connection
        *lines, buffer = (buffer[-200:] + data).split(b"\n")
        for kind, *rest in map(fields_of, lines):
            if kind == "Q":
                idle = hello()
            elif kind == "B" and rest[0] == boot:
                busy, sent = time.monotonic() + 10, acked
            elif kind == "A" and rest[0] == boot and acked <= int(rest[1]) <= len(made):
                if int(rest[1]) > acked:
                    wait, retry = 0.5, time.monotonic() + 0.5
                acked, busy = int(rest[1]), 0.0
                sent = max(sent, acked)
            elif kind == "N" and rest[0] == boot and rest[2] != "FORM":
                if acked < int(rest[1]) <= len(made):
                    sent = int(rest[1]) - 1
                elif int(rest[1]) <= acked:
                    idle = hello()
    return 0


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
