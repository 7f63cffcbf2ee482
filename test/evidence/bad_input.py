"""Verifies random and changed packages in a process of its own: python3 bad_input.py COUNT [SEED].

Prints the verdicts, the slowest time in seconds and the largest memory in bytes, as JSON.
"""
import collections
import functools
import json
import os
import random
import resource
import sys
import tempfile
import time

import make_package as make
import verify

# Pure and slow, and asked the same thousands of times here.
verify.ed25519_verify = functools.lru_cache(None)(verify.ed25519_verify)

PIECES = [b"", b"\n", b'"', b"{", b"}", b"[", b"\\ud800", b"null", b"-1", b"1e999", b"9" * 40,
          b"[" * 1000, b'{"a":' * 1000, b"\xc3\x28", b"\xf0\x9f", b"\0"]


def changed(data, rng):
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.choice(PIECES) + data[place + rng.randrange(3):]
    return data


def bad_package(package, whole, rng):
    how = rng.randrange(4)
    if how == 0:
        return rng.randbytes(rng.randrange(2000))
    if how == 1:
        return rng.randbytes(rng.randrange(300)) + whole[-rng.randrange(2000):]
    if how == 2:
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 9)):
            place = rng.choice([len(data), 900])
            data[-1 - rng.randrange(place)] = rng.randrange(256)
        return bytes(data)
    other, name = package.copy(), rng.choice(sorted(package.files))
    other.files[name] = changed(other.files[name], rng)
    return other.bag().zip()


def main(count, seed):
    rng, seen, slowest = random.Random(seed), collections.Counter(), 0
    package = make.random_package(random.Random(21))
    whole, key = package.zip(), verify.read_key(package.site.key.vkey)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "package.zip")
        for _ in range(count):
            with open(path, "wb") as file:
                file.write(bad_package(package, whole, rng))
            start, verifier = time.monotonic(), verify.Verifier(key=key)
            verifier.verify(path)
            slowest = max(slowest, time.monotonic() - start)
            seen[verifier.verdict()] += 1
    print(json.dumps({"seen": seen, "slowest": slowest, "peak": peak()}))


def peak():
    """Returns the largest memory of this program. `ru_maxrss` can be that of who started it."""
    if not os.path.exists("/proc/self/status"):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
