#!/usr/bin/env python3
"""Verifies a Shoeprint evidence package: steps 1 to 6 of docs/evidence.md.

The second implementation, from the words of that page and of docs/decisions/0035 and not from the
code of `shoeprint verify`. It needs Python 3.9, writes no file and opens no connection.
"""
import argparse, collections, contextlib, datetime, functools, hashlib, io, itertools, json
import operator, os, re, stat, struct, sys, zipfile, zlib
from base64 import b64decode, b64encode
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, unquote_to_bytes

MiB, LAST, EXITS = 2 ** 20, 2 ** 53, {"INTACT": 0, "INCOMPLETE": 2, "ALTERED": 1, "UNREADABLE": 3}
# What the standard library raises for bytes that are not of a format.
DAMAGE = (OSError, EOFError, ValueError, OverflowError, RuntimeError, struct.error, zlib.error,
          zipfile.BadZipFile)
INFO, TAGS, MANIFEST = "bag-info.txt", "tagmanifest-sha256.txt", "manifest-sha256.txt"
ABOUT, CHECKPOINT, NAMES = "data/package.json", "data/site/checkpoint", "data/site/names"
LEAVES, SITE, SINCE = "data/site/leaves.ndjson", "data/site/proof.json", "data/site/since.json"

# --- Formats: each has one pattern. Where the commas of JSON stand is left to `json`
def pattern(form):
    """Returns the pattern of a form. A field of JSON whose name ends with `?` can be absent."""
    if isinstance(form, dict):
        parts = [(*name.partition("?")[:2], pattern(each)) for name, each in form.items()]
        return r"\{" + "".join(f'(?:"{name}":{each},?){mark}' for name, mark, each in parts) + r"\}"
    return rf"\[(?:{pattern(form[0])},?)*\]" if isinstance(form, list) else form

N, S, DATE = "(?:0|[1-9][0-9]{0,15})", r'"[^"\\]*(?:\\.[^"\\]*)*"', "[0-9]{4}-[0-9]{2}-[0-9]{2}"
C, NAME, ORIGIN = "[A-Za-z0-9+/]", r"[^\s+]+", r"(?P<origin>[^\s+]{1,200})"
H, VKEY, FLAG = C + "{42}[AEIMQUYcgkosw048]=", rf"{NAME}\+\w{{8}}\+{C}{{44}}", "(?:true|false)"
BASE64 = f"(?:{C}{{4}})*(?:{C}[AQgw]==|{C}{{2}}[AEIMQUYcgkosw048]=)?"
DAY, HASH, PROOF = f'"{DATE}"', f'"{H}"', [f'"{H}"']
PROVEN = {"index": N, "text": S, "proof": PROOF}
GROWN = {"size": N, "root": HASH, "path": PROOF, "consistency": PROOF}
FORMATS = {name: re.compile(pattern(form)) for name, form in {
    "leaf": {"index": N, "text": S}, "record": {"n": N, "value": S, "proof": PROOF},
    "head": {"seal": N, "size": N, "root": HASH, "path?": PROOF},
    SITE: {"frontier": PROOF, "consistency": [{"from": N, "proof": PROOF}], "keys": [PROVEN],
           "latest": PROVEN},
    "proof.json": {"frontier": PROOF, "before": PROOF, "rest": PROOF, "latest": GROWN},
    SINCE: [{"size": N, "seal": PROVEN, "tables": [{"number": N, **GROWN}]}],
    ABOUT: {
        "format": '"shoeprint package v1"', "id": S, "origin": S, "size": N,
        "scope": {"kind": '"(?:shoe|finding|table|day)"', "table?": S, "shoe?": S, "finding?": S,
                  "day?": DAY, "from?": DAY, "to?": DAY},
        "range": {"after": f"(?:null|{N})", "to": N}, "all": FLAG,
        "tables": [{"table": S, "name": S, "number": N, "first": N, "records": N, "events": N,
                    "shoes": [S]}],
        "rules": [{"id": '"(?:policies/)?[a-z0-9-]+@[0-9]+"', "sha256": '"[0-9a-f]{64}"'}],
        "gamingDays": [{"from": DAY, "zone": S, "cutover": '"[0-2][0-9]:[0-5][0-9]"'}],
        "unjudged": [{"table": S, "record": N, "line": N, "released": FLAG}],
        "software": {"name": S, "version": S, "commit": S, "fold": N}, "warnings": [S]},
    "key": rf"(?P<name>{NAME})\+(?P<id>[0-9a-f]{{8}})\+(?P<public>{C}{{44}})",
    "signature": rf"— (?P<name>{NAME}) (?P<signature>{BASE64})",
    "checkpoint": rf"{ORIGIN}\n(?P<size>{N})\n(?P<root>{H})\n",
    "receipt": rf"shoeprint package v1\n{ORIGIN}\n(?P<id>.+)\n(?P<tags>.+)\n",
    "key statement": rf"shoeprint keys v1\n{ORIGIN}\n(?P<number>{N})\nprevious (?P<previous>none|"
                     rf"{N})\n(?=.)(?P<adds>(?:add {VKEY}\n)*)(?P<ends>(?:retire {VKEY}\n)*"
                     rf"(?:revoke {VKEY} {N}\n)*)",
    "seal": rf"shoeprint seal v1\n{ORIGIN}\n(?P<number>{N})\ntime (?P<time>{DATE}T[0-9:]{{8}})Z\n"
            rf"log (?P<log>[!-~]{{1,200}})\nnext (?P<next>{N}(?: {N}){{0,1023}})\n"
            rf"tables (?P<tables>{N}) (?P<names>{H}) (?P<heads>{H})\nkeys (?P<keys>{N})\n"
            rf"(?:day (?P<day>{DATE})\n)?",
    INFO: rf"External-Identifier: (?P<id>.+)\nPayload-Oxum: (?P<size>{N})\.(?P<n>{N})\n",
    "line of a manifest": r"(?P<sha>[0-9a-f]{64})  (?P<file>.+)",
    "row": rf"(?P<n>{N}),(?P<size>{N}),(?P<lines>{N}),(?P<partition>{N}),(?P<offset>{N}),"
           "(?P<check>[0-9a-f]{8})"}.items()}
NUMBERS = {"size", "number", "tables", "keys", "n", "lines", "partition", "offset"}
BYTES = {"root", "names", "heads", "path", "proof", "consistency", "frontier", "before", "rest",
         "public", "signature"}

class Fault(Exception):
    """What is wrong, of which kind (altered, incomplete or unreadable), and where."""

def require(holds, message, kind="altered", **where):
    if not holds:
        raise Fault(message, kind, where)

def whole(digits):
    require(int(digits) < LAST, f"{digits} is not below 2^53")
    return int(digits)

def named(values):
    """Returns values as attributes, and base64 as bytes."""
    for name in BYTES & set(values):
        value = values[name]
        values[name] = b64decode(value) if isinstance(value, str) else [
            b64decode(each) if isinstance(each, str) else each for each in value]
    return SimpleNamespace(**values)

def read(what, text):
    """Reads a text or JSON that is in its one form, byte for byte."""
    match = FORMATS[what].fullmatch(text)
    require(match, f"{what} is not of its format")
    if match.re.groups:
        return named({name: whole(value) if name in NUMBERS else value
                      for name, value in match.groupdict().items()})
    plain = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    require(plain == text, f"{what} is not written as JSON.stringify writes it")
    return json.loads(text, object_hook=named, parse_int=whole)

def check_lines(value, table, excused, **where):
    """Checks that each line of a record is JSON that names the table. Returns their number."""
    lines = value.split(b"\n") if value else []
    for line, text in enumerate(lines, 1):
        event = None
        with contextlib.suppress(ValueError, RecursionError):
            event = json.loads(text.decode(), parse_int=float, parse_constant=int)
        require(line in excused or isinstance(event, dict) and event.get("table") == table,
                "the line does not name this table", **where, line=line)
    return len(lines)

def read_key(vkey):
    key = read("key", vkey)
    digest = hashlib.sha256(key.name.encode() + b"\n" + key.public).digest()[:4]
    require(digest.hex() == key.id and key.public[0] in (1, 4), f"{vkey} is not an Ed25519 key")
    return SimpleNamespace(vkey=vkey, name=key.name, id=digest, type=key.public[0],
                           public=key.public[1:])

def read_note(what, data):
    """Reads a C2SP signed note: its text, and signatures by the name and the id of the key."""
    text, _, lines = data.decode().rpartition("\n\n")
    note, lines = read(what, text + "\n"), lines.split("\n")
    require(len(data) <= MiB and lines.pop() == "" and 1 <= len(lines) <= 64 and
            not re.search(r"[\0-\x09\x0b-\x1f]", text), "this is not a note of 1 to 64 signatures")
    note.text, note.signatures = text + "\n", {}
    for line in [read("signature", line) for line in lines]:
        require(len(line.signature) > 4, "a signature is too short")
        note.signatures.setdefault((line.name, line.signature[:4]), line.signature[4:])
    return note

def signed(note, key):
    """Returns whether the key signed the note. If its signature fails, the note is altered."""
    signature, message = note.signatures.get((key.name, key.id)), note.text.encode()
    if signature and key.type == 4:
        message = b"cosignature/v1\ntime %d\n" % int.from_bytes(signature[:8], "big") + message
        signature = signature[8:]
    require(signature is None or ed25519_verify(key.public, message, signature),
            f"the signature of {key.vkey} is wrong")
    return signature is not None

def read_seal(text):
    seal = read("seal", text)
    datetime.datetime.strptime(seal.time, "%Y-%m-%dT%H:%M:%S")
    datetime.date.fromisoformat(seal.day or seal.time[:10])
    seal.next = [whole(offset) for offset in seal.next.split(" ")]
    return seal

def name_line(name):
    """Returns the line of a table in the list of names."""
    return quote(name, safe="").encode() + b"\n"

# --- Ed25519: RFC 8032, section 5.1.7, without the cofactor
P, L = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493
D, SQRT_MINUS_1 = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def add_points(p, q):
    across = D * p[0] * q[0] * p[1] * q[1]
    over = pow((1 + across) * (1 - across), -1, P)
    return ((p[0] * q[1] + q[0] * p[1]) * (1 - across) * over % P,
            (p[1] * q[1] + p[0] * q[0]) * (1 + across) * over % P)

def multiply(scalar, point):
    total = (0, 1)
    for bit in bin(scalar)[2:]:
        total = add_points(total, total)
        total = add_points(total, point) if bit == "1" else total
    return total

def decode_point(data):
    """Returns the point that 32 bytes encode, or None, section 5.1.3."""
    y, sign = int.from_bytes(data, "little") % 2 ** 255, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * SQRT_MINUS_1 % P
    is_point = y < P and x * x % P == square and (x or not sign)
    return (x if x & 1 == sign else P - x, y) if is_point else None

BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def ed25519_verify(public, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    points = [decode_point(public), decode_point(r)] if len(signature) == 64 and s < L else [None]
    h = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % L
    return None not in points and add_points(points[1], multiply(h, points[0])) == multiply(s, BASE)

# --- Merkle trees: RFC 6962, section 2.1
def leaf_hash(data):
    return hashlib.sha256(b"\0" + data).digest()

def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()

class Frontier:
    """A tree that only grows: the roots of its perfect subtrees, the largest first."""
    def __init__(self, size=0, hashes=()):
        require(len(hashes) == bin(size).count("1"), f"this is not a frontier of {size} leaves")
        self.size, self.hashes = size, list(hashes)

    def push(self, digest, level=0):
        """Appends a leaf, or the root of 2^level leaves."""
        place, self.size = self.size >> level, self.size + (1 << level)
        while place & 1:
            digest, place = node_hash(self.hashes.pop(), digest), place >> 1
        self.hashes.append(digest)

    def complete(self, size, rest):
        """Appends the largest aligned perfect subtrees of [self.size, size), left to right."""
        for digest in rest:
            require(self.size < size, "`rest` has too many hashes")
            place = self.size | 1 << (size - self.size).bit_length() - 1
            self.push(digest, (place & -place).bit_length() - 1)

    def root(self):
        hashes = self.hashes[::-1] or [hashlib.sha256().digest()]
        return functools.reduce(lambda right, left: node_hash(left, right), hashes)

def climb(index, size, leaf, proof):
    """Returns the root of `size` leaves to which an inclusion proof leads, and the root of the
    first `index + 1`, in which the leaf is the last and has the same nodes on its left."""
    require(0 <= index < size and (size > 1) == bool(proof), "a proof has a wrong length")
    if size == 1:
        return leaf, leaf
    half, other = 1 << (size - 1).bit_length() - 1, proof[-1]
    if index < half:
        root, first = climb(index, half, leaf, proof[:-1])
        return node_hash(root, other), first
    root, first = climb(index - half, size - half, leaf, proof[:-1])
    return node_hash(other, root), node_hash(other, first)

def check_consistent(what, old, new, proof):
    """Checks that the tree `new`, a size and a root, begins with the tree `old`. The proof is
    the path from the largest subtree at the end of `old`, of which there are `nodes` in `new`."""
    (small, old_root), (large, new_root) = old, new
    message = f"{what} of {large} leaves does not grow from that of {small}"
    if small in (0, large):
        require(not proof and (not small or old_root == new_root), message)
    else:
        require(small < large and proof, message)
        level = (small & -small).bit_length() - 1
        path, nodes = ([old_root] if small == 1 << level else []) + proof, -(-large >> level)
        roots = climb((small - 1) >> level, nodes, path[0], path[1:])
        require(roots == (new_root, old_root), message)

class Keyring:
    """The keys that the statements add, and the sizes of the log that each may sign: from `since`
    on, below `ends`. A statement at index i is in logs of size i + 1, and needs a key that may
    sign that size. Revocations reach back: the statements are read again until they agree."""
    def __init__(self, origin, statements):
        self.statements, self.revoked, found = statements, None, {}
        for each in statements:
            each.adds = [read_key(line[4:]) for line in each.adds.splitlines()]
            each.added = [key.vkey for key in each.adds if key.name == origin]
            each.ends = [line.split(" ")[1:] for line in each.ends.splitlines()]
        self.keys = [key for each in statements for key in each.adds]
        require(statements and len({key.vkey for key in self.keys}) == len(self.keys) and all(
            key.name in (origin, origin + "/exports") and key.type == 1 for key in self.keys) and
            sum(len(each.signatures) for each in statements) < 999,
            "statements are missing, add a key twice or of another log, or have 999 signatures")
        for each in statements:
            each.signers = {key.vkey for key in self.keys
                            if key.name == origin and signed(each, key)}
        self.safe = statements[0].added[1:2]
        for _ in range(len(statements) + 2):
            if found != self.revoked:
                self.revoked, found = found, self.settle(found)
        require(found == self.revoked, "the revocations contradict each other")

    def settle(self, revoked):
        """Reads the statements as if these revocations held. Returns those that they make."""
        self.since, self.ends, found = {}, dict(revoked), {}
        for each in self.statements:
            each.grounds = {vkey for vkey in each.signers if self.counts(vkey, each.number + 1)}
            each.grounds = each.grounds if each.number else set(each.added)
            if not (each.grounds and each.signers.issuperset(each.added) and
                    all(vkey in self.since for vkey, *_ in each.ends)):
                each.grounds = set()
                continue
            for vkey, *size in each.ends:
                if vkey not in self.safe or vkey in each.signers:
                    ends, end = (found, whole(size[0])) if size else (self.ends, each.number + 2)
                    ends[vkey] = min(end, ends.get(vkey, LAST))
            self.since.update((key.vkey, each.number + 1) for key in each.adds)
        return found

    def counts(self, vkey, size):
        return self.since.get(vkey, LAST) <= size < self.ends.get(vkey, LAST)

    def signers(self, note, size, name):
        """Returns the keys of this name that signed the note and may sign this size."""
        return {key.vkey for key in self.keys if key.name == name and signed(note, key)
                and self.counts(key.vkey, size)}

# --- The files of a package: a zip or a folder
class ShortReads(io.FileIO):
    """A file that refuses to read a zip directory that would take too much memory."""
    def read(self, size=-1):
        require(size <= 8 * MiB, "the zip's directory has more than 8 MiB")
        return super().read(size)

class Source:
    """The files of a package: `files` has their sizes."""
    def __init__(self, path):
        self.files, self.path, self.folder, self.zip = {}, path, None, None
        if not os.path.isdir(path):
            self.list_zip(ShortReads(path))
        for folder, folders, names in os.walk(path):
            for name in [os.path.join(folder, name) for name in folders + names]:
                status = os.lstat(name)
                self.add(os.path.relpath(name, path), status.st_mode, status.st_size)

    def list_zip(self, file):
        self.zip, end = zipfile.ZipFile(file), 0
        file.seek(-22 - len(self.zip.comment), io.SEEK_END)
        mark, count = struct.unpack("<4s6xH", file.read(12))
        require(mark == b"PK\5\6" and count in (len(self.zip.infolist()), 0xffff),
                "bytes follow the zip, or it has not as many entries as it says")
        for entry in sorted(self.zip.infolist(), key=lambda entry: entry.header_offset):
            self.zip.open(entry).close()  # the local header has the same name
            folder, _, name = entry.orig_filename.partition("/")
            begin, both = file.seek(entry.header_offset), (entry.flag_bits, entry.compress_type)
            flags, method, *check, name_size, more = struct.unpack("<6x2H4x3L2H", file.read(30))
            require((flags, method) == both and method in (0, 8) and not flags & 0x2061 and (
                flags & 8 or 0xffffffff in check or
                check == [entry.CRC, entry.compress_size, entry.file_size]),
                f"{name} is encrypted, packed in another way, or has two headers that differ")
            require(self.folder in (None, folder) and (begin >= end > 0 or begin == end) and
                    entry.file_size < max(16 * MiB, 200 * entry.compress_size),
                    f"{name} overlaps another entry, is in another folder, or is a bomb")
            self.folder, end = folder, begin + 30 + name_size + more + entry.compress_size
            self.add(name, entry.external_attr >> 16, entry.file_size)
        require(self.folder and end <= self.zip.start_dir, "the entries overlap the directory")

    def add(self, name, mode, size):
        path, kind = name.rstrip("/"), stat.S_IFMT(mode)
        require(len(self.files) < 100_000 and kind in (0, stat.S_IFREG, stat.S_IFDIR),
                f"{path} is a link or a device, or there are over 100,000 files")
        require(not name or not re.search(r"[\\\0-\x1f\ud800-\udfff]|^[A-Za-z]:|.{500}", path) and
                name not in self.files and not {"", ".", ".."} & {self.folder, *path.split("/")},
                f"{path[:99]} is there twice, or not a safe name")
        if name == path != "" and kind != stat.S_IFDIR:
            self.files[name] = size

    def open(self, name):
        require(name in self.files, "the file is not there", "incomplete", file=name)
        return (io.BufferedReader(self.zip.open(f"{self.folder}/{name}"), MiB // 4) if self.zip
                else open(os.path.join(self.path, name), "rb"))

    def read(self, name):
        with self.open(name) as file:
            data = file.read(16 * MiB + 1)
        require(len(data) <= 16 * MiB, "the file has more than 16 MiB", file=name)
        return data

    def lines(self, name, what=None):
        """Yields the lines of a file, or what they read as."""
        with self.open(name) as file:
            for line in iter(lambda: file.readline(16 * MiB), b""):
                require(line[-1:] == b"\n", "a line is too long, or has no end", file=name)
                yield read(what, line[:-1].decode()) if what else line[:-1]

    def json(self, name):
        (value,) = self.lines(name, name if name in FORMATS else os.path.basename(name))
        return value

class Verifier:
    """Runs the steps. A fault ends the part in which it is found; the other parts go on."""
    def __init__(self, key=None, trusted=(), witnesses=(), quorum=None):
        self.key, self.trusted, self.witnesses = key, [*trusted], [*witnesses]
        self.quorum, self.faults, self.kinds, self.warnings = quorum, [], {"INTACT"}, []
        self.counts = dict.fromkeys(("tables", "records", "events", "seals", "faults"), 0)
        self.about = self.info = self.signer = self.last = None
        self.hashes, self.statements, self.roots, self.since, self.day = {}, {}, {}, {}, ""
        self.heads = collections.defaultdict(lambda: [Frontier(), 0])
        self.named, self.name_hash, self.excused = 0, hashlib.sha256(), collections.defaultdict(set)

    @contextlib.contextmanager
    def part(self, step, kind=None, **where):
        """Notes the fault that ends this part."""
        try:
            yield
        except (Fault, *DAMAGE) as error:
            message, own, at = error.args if isinstance(error, Fault) else (
                f"this cannot be read: {error}", "altered", {})
            self.kinds.add((kind or own).upper())
            self.counts["faults"] += 1
            if len(self.faults) < 100:
                self.faults.append({"step": step, "kind": kind or own, **where, **at,
                                    "message": message})

    def verdict(self):
        return max(self.kinds, key=list(EXITS).index)

    def verify(self, path):
        with self.part(1, "unreadable"):
            self.source = Source(path)
            with self.part(1, file=INFO):
                self.check_payload()
                with self.part(1, "unreadable", file=ABOUT):
                    self.about = self.source.json(ABOUT)
                self.check_files()
                with self.part(3, file=SITE):
                    if self.about:
                        self.check_site()

    # Steps 1 and 2: the payload is not larger than Payload-Oxum, and every file is as hashed
    def check_payload(self):
        sizes = [size for name, size in self.source.files.items() if name.startswith("data/")]
        self.payload = sum(sizes), len(sizes)
        if INFO in self.source.files:
            self.info = read(INFO, self.source.read(INFO).decode())
            require(sum(sizes) <= self.info.size and len(sizes) <= self.info.n,
                    "reading stops: the payload is larger than Payload-Oxum says")

    def check_files(self):
        files, listed, info = self.source.files, {}, self.info
        for manifest in (TAGS, MANIFEST):
            with self.part(2, file=manifest):
                for line in self.source.lines(manifest, "line of a manifest"):
                    require(line.file not in listed and
                            line.file.startswith("data/") == (manifest == MANIFEST),
                            f"{line.file} is listed twice, or in the wrong manifest")
                    listed[line.file] = line.sha
        for name in sorted({*files, *listed, INFO, "receipt", TAGS, MANIFEST}):
            with self.part(2, file=name), self.source.open(name) as file:
                digest = hashlib.sha256()
                for chunk in iter(lambda: file.read(MiB // 4), b""):
                    digest.update(chunk)
                self.hashes[name] = digest.hexdigest()
                manifest = MANIFEST if name.startswith("data/") else TAGS
                require(listed.get(name) == self.hashes[name] or name not in listed and
                        (name in ("receipt", TAGS) or manifest not in files),
                        "no manifest lists the file with this hash")
        with self.part(2, file=INFO):
            sizes = (info.size, info.n) if info and set(listed) <= set(files) else self.payload
            require(self.payload == sizes, "the payload is smaller than Payload-Oxum says")
            ids = {self.source.folder, info and info.id} - {None}
            require(not self.about or ids <= {self.about.id}, "package.json has another id")

    # Step 3: signatures
    def included(self, entry):
        """Checks that a leaf is in the log. Returns the root of the log that ends with it."""
        root, first = climb(entry.index, self.tip[0], leaf_hash(entry.text.encode()), entry.proof)
        require(root == self.tip[1], f"leaf {entry.index} is not proven to be in the log")
        return first

    def check_site(self):
        about, before = self.about, "none"
        self.point = read_note("checkpoint", self.source.read(CHECKPOINT))
        self.site, self.tip = self.source.json(SITE), (self.point.size, self.point.root)
        self.roots[self.point.size] = self.point.root
        for entry in self.site.keys:
            self.included(entry)
            each = self.statements[entry.index] = read_note("key statement", entry.text.encode())
            require((each.origin, each.number, each.previous) == (about.origin, entry.index, before)
                    and (before == "none") == (entry.index == 0),
                    f"statement {entry.index} does not follow {before}")
            before, each.entry = str(entry.index), entry.text
        self.included(self.site.latest)
        self.latest = read_seal(self.site.latest.text)
        require(self.latest.number + 1 == self.point.size, "the last leaf is not the latest seal")
        self.ring = Keyring(about.origin, list(self.statements.values()))
        self.check_signatures()
        with self.part(4, file=SINCE):
            self.read_since()
        with self.part(5, file=LEAVES):
            self.check_seals()
            self.check_tables()
        with self.part(3, file=CHECKPOINT):
            self.check_trust()

    def check_signatures(self):
        about, point, ring = self.about, self.point, self.ring
        for each in [each for each in ring.statements if not each.grounds]:
            with self.part(3, file=SITE):
                require(any(ring.revoked.get(vkey, LAST) <= each.number + 1 for vkey in
                            each.signers), f"no key in force signed key statement {each.number}")
                self.warnings.append(f"a revoked key signed key statement {each.number}")
        with self.part(2, file="receipt"):
            note = read_note("receipt", self.source.read("receipt"))
            require((note.origin, note.id, note.tags) == (about.origin, about.id, self.hashes.get(
                TAGS, note.tags)), "it is the receipt of another package")
            require(ring.signers(note, point.size, about.origin + "/exports"),
                    "no exports key in force signed it")

    def check_trust(self):
        """Trust goes from what the reader holds, over key statements, to the checkpoint."""
        about, point, known = self.about, self.point, {self.key.vkey} if self.key else set()
        for name, held in self.trusted:
            with self.part(4, file=name):
                known |= self.ring.signers(held, held.size, held.origin)
                self.check_trusted(held)
        require((about.origin, about.size) == (point.origin, point.size),
                "it is not that of package.json")
        signers = self.ring.signers(point, point.size, point.origin)
        require(signers, "no log key in force at its size signed it")
        witnesses = sum(signed(point, key) for key in self.witnesses)
        for each in self.ring.statements:
            known |= set(each.added) if each.grounds & known else set()
        self.signer = min(signers & known or signers)
        require(signers & known or not known,
                f"{self.signer} signed it, for which the key that you gave does not vouch")
        require(known, "who signed it is not known to you: ask the house by another way whether "
                f"its key is {self.signer}", "incomplete")
        require(witnesses >= (len(self.witnesses) if self.quorum is None else self.quorum),
                f"only {witnesses} of the witnesses that you named signed it", "incomplete")

    # Step 4: history
    def read_since(self):
        self.grown = {vars(entry)["from"]: entry.proof for entry in self.site.consistency}
        for entry in sorted(self.source.json(SINCE), key=lambda entry: entry.size):
            heads = {head.number: head for head in entry.tables}
            require(entry.seal.index + 1 == entry.size and len(heads) == len(entry.tables) and
                    set(heads) <= {table.number for table in self.about.tables}, f"size "
                    f"{entry.size} has another seal, or a table twice or of another package")
            root = self.roots[entry.size] = self.included(entry.seal)
            check_consistent("the site log", (entry.size, root), self.tip,
                             self.grown.get(entry.size, []))
            self.since[entry.size] = read_seal(entry.seal.text), heads
        require(sorted(vars(entry)["from"] for entry in self.site.consistency) == sorted(
            {self.about.range.to + 1, *self.since}), "a consistency proof is too many or missing")

    def check_trusted(self, held):
        size, root, span = held.size, self.roots.get(held.size), self.about.range
        ask = f"the package has no proof from size {size}: ask for an export with --since"
        require(not root or root == held.root, f"history was rewritten: the first {size} leaves "
                "are others than in the checkpoint that you hold")
        require(self.ring.signers(held, size, self.about.origin) and held.origin ==
                self.about.origin, "no log key of this package signed it")
        require(root, ask, "incomplete")
        seal, heads = self.since.get(size, (self.latest, {}))
        for table in self.about.tables:
            require((span.after or 0) < size <= span.to + 1 or size == self.tip[0] or
                    table.number >= seal.tables or table.number in heads, ask, "incomplete",
                    table=table.table)

    # Step 5: seals
    def seals(self):
        """Yields the leaves of the range, each with its seal if it is not a key statement."""
        span, seal = self.about.range, None
        index = span.after or 0
        for leaf in self.source.lines(LEAVES, "leaf"):
            known = self.statements.get(index)
            require(leaf.index == index <= span.to and (not known or index != span.after and
                    leaf.text == known.entry), "this is not the next seal, or the proven statement",
                    seal=index)
            seal = None if known else read_seal(leaf.text)
            yield leaf, seal
            index += 1
        require(index == span.to + 1 and seal, "the range does not end with its seal")

    def check_seals(self):
        start, end = self.about.range.after or 0, self.about.range.to + 1
        names = self.source.read(NAMES)
        self.names = [unquote_to_bytes(line) for line in names.split(b"\n")[:-1]]
        require(len(set(self.names)) == len(self.names) < 100_000 and names == b"".join(
            map(name_line, self.names)), "a name is there twice, or has another form", file=NAMES)
        for size in [size for size in self.since if size <= start]:
            self.follow(self.since[size][0], size - 1)
        tree, proven = Frontier(start, self.site.frontier), {held.size for _, held in self.trusted}
        for leaf, seal in self.seals():
            tree.push(leaf_hash(leaf.text.encode()))
            if tree.size in proven | set(self.roots):
                require(self.roots.setdefault(tree.size, tree.root()) == tree.root(),
                        f"the first {tree.size} leaves are not the proven ones", seal=leaf.index)
            if seal:
                self.follow(seal, leaf.index, leaf.index > start or start == 0)
                self.counts["seals"] += 1
        check_consistent("the site log", (end, tree.root()), self.tip, self.grown.get(end, []))
        self.sealed_tables = seal.tables
        for size in [size for size in self.since if size > end]:
            self.follow(self.since[size][0], size - 1)
        self.follow(self.latest, self.latest.number)
        require(self.named == len(self.names), "it has more names", file=NAMES)

    def follow(self, seal, index, is_next=False):
        """Checks that a seal goes on from the last one. `is_next`: none lies between."""
        last, self.last, fresh = self.last or seal, seal, self.names[self.named:seal.tables]
        self.name_hash.update(b"".join(map(name_line, fresh)))
        keys = max((number for number in self.statements if number < index), default=None)
        falls = len(seal.next) != len(last.next) or any(map(operator.lt, seal.next, last.next))
        wrong = [what for what, is_wrong in {
            "it is of another site": seal.origin != self.about.origin,
            "it has another number than its leaf": seal.number != index,
            "it is of another log": seal.log != last.log,
            f"it does not name key statement {keys}": seal.keys != keys,
            f"its time goes back from {last.time}": seal.time < last.time,
            f"its day is not later than {self.day}":
                seal.number != last.number and seal.day and seal.day <= self.day,
            "its `next` falls, or has other partitions": falls,
            "its number of tables falls": not last.tables <= seal.tables <= len(self.names),
            "it has other names": self.name_hash.digest() != seal.names,
            "its new names are out of order": is_next and fresh != sorted(fresh),
        }.items() if is_wrong]
        require(not wrong, "the seal does not go on from the last one: " + ", ".join(wrong),
                seal=index)
        self.day, self.named = seal.day or self.day, max(self.named, seal.tables)

    # Step 6: records
    def check_tables(self):
        numbers = [table.number for table in self.about.tables]
        for each in self.about.unjudged:
            self.excused[each.table, each.record].add(each.line)
        with self.part(6, file=ABOUT):
            require(numbers == sorted(set(numbers)) and (not self.about.all or self.sealed_tables <=
                    len(numbers) == numbers[-1] + 1), "a table is there twice, or missing")
        for table in self.about.tables:
            self.counts["tables"] += 1
            with self.part(6, table=table.table):
                self.check_table(table)

    def check_table(self, table):
        span, folder, what = self.about.range, f"data/tables/{table.number}/", f"table {table.name}"
        require([table.table.encode()] == self.names[table.number:][:1] and
                table.name == quote(table.table, safe=""), "it has another number", file=ABOUT)
        proof, records = self.source.json(folder + "proof.json"), self.records(table, folder)
        heads = self.source.lines(folder + "heads.ndjson", "head")
        tree, end = Frontier(table.first, proof.frontier), table.first + table.records
        last, early, start, low = (0, Frontier().root()), None, table.first, []
        others = "the records from {} on are not the ones that are sealed"
        for leaf, seal in self.seals():
            if seal and table.number < seal.tables:
                here = {"file": folder + "heads.ndjson", "seal": leaf.index}
                head = next(heads, None)
                require(head and head.seal == leaf.index and head.size >= max(last[0], 1),
                        "the head is missing, or smaller than the one before", **here)
                last, start = self.check_head(table, seal, head), tree.size
                for row, digest in itertools.islice(records, max(0, min(head.size, end) - start)):
                    tree.push(digest)
                    part, low = row.partition, low or [0] * len(seal.next)
                    require(part < len(low) and low[part] <= row.offset < seal.next[part],
                            "the offset is outside the reach of the seal", **here, record=row.n)
                early = last if head.size < table.first else early
                require(early != last or leaf.index == span.after, "its size is below `first`",
                        **here)
                require((tree.size, tree.root()) == last or last == early or leaf.index == span.to,
                        others.format(start), **here, record=start)
            low = seal.next if seal else low
        tree.complete(last[0], proof.rest)
        require((tree.size, tree.root()) == last and next(records, next(heads, None)) is None,
                others.format(start), file=folder + "events.ndjson", seal=span.to, record=start)
        latest = self.check_head(table, self.latest, proof.latest)
        check_consistent(what, early or last, last, proof.before)
        check_consistent(what, last, latest, proof.latest.consistency)
        for seal, head in [(seal, heads.get(table.number)) for seal, heads in self.since.values()]:
            with self.part(4, table=table.table, file=SINCE, seal=seal.number):
                if head:
                    old = self.check_head(table, seal, head)
                    check_consistent(what, old, latest, head.consistency)
        for file, (size, root), low, high in (("context.ndjson", last, 0, table.first),
                                              ("later.ndjson", latest, end, latest[0])):
            with self.part(6, table=table.table, file=folder + file):
                for record in self.source.lines(folder + file, "record"):
                    n, value = record.n, record.value.encode()
                    sealed, _ = climb(n, size, leaf_hash(value), record.proof)
                    require(low <= n < high and sealed == root,
                            "the record is not one that is sealed and due here", record=n)
                    check_lines(value, table.table, self.excused[table.table, n], record=n)
                    low = n + 1

    def check_head(self, table, seal, head):
        """Checks that a head is in its seal, by its path or together with those of all tables."""
        root, path = b64encode(head.root).decode(), vars(head).get("path")
        leaf = leaf_hash(f"{seal.origin}/table/{table.name}\n{head.size}\n{root}\n".encode())
        if hasattr(head, "seal") and self.about.all:
            together = self.heads[seal.number]
            together[0].push(leaf)
            together[1] += head.size
            require(path is None and (together[0].size < seal.tables or (
                together[0].root(), together[1]) == (seal.heads, sum(seal.next))),
                "the heads of all tables, or the sum of `next`, are not those of the seal")
        else:
            require(path is not None and head.size > 0 and
                    climb(table.number, seal.tables, leaf, path)[0] == seal.heads,
                    "the head of the table is not in the seal's heads root")
        return head.size, head.root

    def records(self, table, folder):
        """Yields the row and the leaf of each record, and checks its lines."""
        rows, events, last = self.source.lines(folder + "records.csv"), 0, None
        require(next(rows, b"") == b"n,bytes,lines,partition,offset,check", "it has other columns",
                file=folder + "records.csv")
        with self.source.open(folder + "events.ndjson") as file:
            for n in range(table.first, table.first + table.records):
                row = read("row", next(rows, b"").decode())
                here = {"file": folder + "events.ndjson", "record": n, "partition": row.partition,
                        "offset": row.offset}
                require(row.n == n and row.size <= MiB and (not last or row.offset > last.offset
                        and row.partition == last.partition), "its row is not the next", **here)
                value, end, last = file.read(row.size), file.read(1), row
                leaf, excused = leaf_hash(value), self.excused[table.table, n]
                require((len(value), end, leaf.hex()[:8]) == (row.size, b"\n", row.check),
                        "records.csv has others", **here)
                require(row.lines == check_lines(value, table.table, excused, **here),
                        "records.csv has another number of lines", **here)
                events += row.lines
                self.counts["records"] += 1
                self.counts["events"] += row.lines
                yield row, leaf
            require(file.read(1) == b"" and next(rows, None) is None and events == table.events,
                    "there are more records, or other events than package.json says")

def main(arguments):
    parser, verifier = argparse.ArgumentParser(description=__doc__.split("\n")[0]), Verifier()
    parser.error = lambda message: require(False, message)
    parser.add_argument("package", metavar="PACKAGE|FOLDER")
    parser.add_argument("--key", metavar="VKEY|FILE", help="the log key of the house", type=lambda
                        key: read_key(Path(key).read_text().strip() if Path(key).exists() else key))
    parser.add_argument("--trusted", metavar="CHECKPOINT", action="append", type=lambda name:
                        (name, read_note("checkpoint", Path(name).read_bytes())))
    parser.add_argument("--witness", metavar="VKEY", action="append", type=read_key,
                        dest="witnesses")
    parser.add_argument("--quorum", metavar="N", type=int, help="all, if it is not given")
    parser.add_argument("--json", action="store_true")
    with verifier.part(1, "unreadable"):
        parser.parse_args(arguments, verifier)
        named = len({key.vkey for key in verifier.witnesses if key.type == 4})
        require(not verifier.key or verifier.key.type == 1, "--key is not the key of a log")
        require(named == len(verifier.witnesses) and 0 <= (verifier.quorum or 0) <= named,
                "--quorum is at most the number of --witness, each a key of its own")
        verifier.verify(verifier.package)
    warnings = [*(verifier.about.warnings if verifier.about else []), *verifier.warnings]
    report = {"verdict": verifier.verdict(), "faults": verifier.faults, "warnings": warnings,
              "counts": verifier.counts, "key": verifier.signer}
    if "--json" in arguments:
        print(json.dumps(report))
    else:
        print(f"{verifier.verdict()}  steps 1 to 6 of 8, signed by {ascii(verifier.signer)}")
        for name in ("counts", "warnings", "faults"):
            print(f"  {name}: {json.dumps(report[name])}")
    return EXITS[verifier.verdict()]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
