"""Judges packages with verify.py, one after the other, for the tests that compare both verifiers.

Each line of standard input is a request in JSON: the files of a package in base64, by path, and
what the reader trusts. `base` keeps the files under a name; `like` begins with those of a name. With
`path`, the package is a zip or a folder there. Each line of standard output is the verdict and the
faults.
"""
import base64
import functools
import io
import json
import sys

import verify

# Pure and slow, and asked the same thousands of times here.
verify.ed25519_verify = functools.lru_cache(None)(verify.ed25519_verify)


class FilesInMemory(verify.Source):
    """The files of a package that no disk holds."""

    def __init__(self, contents):
        self.contents, self.folder, self.zip = contents, None, None
        self.files = {name: len(content) for name, content in contents.items()}

    def open(self, name):
        verify.require(name in self.files, "the file is not there", "incomplete", file=name)
        return io.BytesIO(self.contents[name])


OnDisk = verify.Source


def judged(request, bases):
    contents = dict(bases.get(request.get("like"), {}))
    for name, content in request.get("files", {}).items():
        contents.pop(name, None)
        if content is not None:
            contents[name] = base64.b64decode(content)
    if "base" in request:
        bases[request["base"]] = contents
    verifier = verify.Verifier(
        key=verify.read_key(request["key"]) if request.get("key") else None,
        trusted=[(f"checkpoint {place}", verify.read_note("checkpoint", text.encode()))
                 for place, text in enumerate(request.get("trusted", []))],
        witnesses=[verify.read_key(vkey) for vkey in request.get("witnesses", [])],
        quorum=request.get("quorum", 0))
    verify.Source = OnDisk if "path" in request else FilesInMemory
    verifier.verify(request.get("path", contents))
    return {"verdict": verifier.verdict(), "faults": verifier.faults}


def main():
    bases = {}
    for line in sys.stdin:
        print(json.dumps(judged(json.loads(line), bases)), flush=True)


if __name__ == "__main__":
    main()
