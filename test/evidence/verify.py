#!/usr/bin/env python3
"""Verifies a Shoeprint evidence package: steps 1 to 6 of docs/evidence.md, section 7.

This is the second implementation. It follows the words of that page and of docs/decisions/0035,
not the code of `shoeprint verify`. It needs Python 3.9, writes no file and opens no connection.
"""
import argparse, array, base64, bisect, contextlib, datetime, hashlib, io, itertools, json, operator
import os, re, stat, struct, sys, types, urllib.parse, zipfile, zlib
from collections import namedtuple

MiB, LAST = 1024 * 1024, 2 ** 53
MOST_FILES, MOST_TABLES, MOST_SEALS, MOST_KEYS, MOST_FAULTS = 100_000, 100_000, 50_000, 1_000, 100
RECORD_LIMIT, LINE_LIMIT, JSON_LIMIT = MiB, 8 * MiB, 24 * MiB
EXITS = {"INTACT": 0, "ALTERED": 1, "INCOMPLETE": 2, "UNREADABLE": 3}
NUMBER, HASH = "(?:0|[1-9][0-9]{0,15})", "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
VKEY, DATE = r"[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*", "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MANIFESTS = ("tagmanifest-sha256.txt", "manifest-sha256.txt")  # the second is that of data/
FILES = f"""bagit.txt bag-info.txt {' '.join(MANIFESTS)} VERIFY.txt receipt data/package.json
    data/site/checkpoint data/site/names data/site/leaves.ndjson data/site/proof.json
    data/site/since.json data/findings.ndjson data/unjudgeable.ndjson data/commission.csv
    data/shoes.csv data/days.csv""".split()
TABLE_FILES = "events.ndjson records.csv heads.ndjson proof.json context.ndjson later.ndjson".split()
ROW = rf"({NUMBER}),({NUMBER}),({NUMBER}),({NUMBER}),({NUMBER}),([0-9a-f]{{8}})"
# The fields of JSON files, in their order. `bytes` is a hash in base64, None is any value.
LEAF, PROVEN = {"index": int, "text": str}, {"index": int, "text": str, "proof": [bytes]}
SITE = {"frontier": [bytes], "consistency": [{"from": int, "proof": [bytes]}], "keys": [PROVEN],
        "latest": PROVEN}
HEAD, LATEST = {"size": int, "root": bytes, "path": [bytes]}, {"consistency": [bytes]}
SINCE = {"size": int, "seal": PROVEN, "tables": [{"number": int, **HEAD, **LATEST}]}
TABLE = {"frontier": [bytes], "before": [bytes], "rest": [bytes], "latest": {**HEAD, **LATEST}}
RECORD = {"n": int, "value": str, "proof": [bytes]}
PACKAGE = {
    "format": str, "id": str, "origin": str, "size": int, "scope": dict,
    "range": {"after": None, "to": int}, "all": bool, "tables": [
        {"table": str, "name": str, "number": int, "first": int, "records": int, "events": int,
         "shoes": None}], "rules": [{"id": str, "sha256": str}], "gamingDays": None,
    "unjudged": [{"table": str, "record": int, "line": int, "released": bool}],
    "software": {"name": str, "version": str, "commit": str, "fold": None}, "warnings": list}

class Fault(Exception):
    """A fault: its message, its kind, and where it is. The kind is altered, incomplete, unreadable,
    or absent: a missing file, which step 2 reports once."""
    def __init__(self, message, kind="altered", **where):
        super().__init__(message)
        self.message, self.kind, self.where = message, kind, where

class Stop(Exception):
    """Nothing more can be checked."""

# What the standard library raises about bytes that are not of a format.
DAMAGE = (OSError, EOFError, ValueError, OverflowError, RuntimeError, NotImplementedError,
          struct.error, zlib.error, zipfile.BadZipFile)

def require(holds, message, kind="altered", **where):
    if not holds:
        raise Fault(message, kind, **where)

# --- Ed25519: RFC 8032, section 5.1.7, without the cofactor ----------------------------------
P, L = 2 ** 255 - 19, 2 ** 252 + 27742317777372353535851937790883648493
D, SQRT_MINUS_1 = -121665 * pow(121666, P - 2, P) % P, pow(2, (P - 1) // 4, P)

def add_points(p, q):
    """Adds points in extended coordinates (X, Y, Z, T), section 5.1.4."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def multiply(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        total = add_points(total, point) if scalar & 1 else total
        point, scalar = add_points(point, point), scalar >> 1
    return total

def decode_point(data):
    """Returns the point that 32 bytes encode, or None, section 5.1.3."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * SQRT_MINUS_1 % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P

BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def ed25519_verify(public, message, signature):
    a, r, s = decode_point(public), decode_point(signature[:32]), signature[32:]
    s = int.from_bytes(s, "little")
    if len(signature) != 64 or a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = multiply(s, BASE), add_points(r, multiply(h, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))

# --- Merkle trees: RFC 6962, section 2.1 -----------------------------------------------------
def sha256(data):
    return hashlib.sha256(data).digest()

def leaf_hash(data):
    return sha256(b"\0" + data)

def node_hash(left, right):
    return sha256(b"\1" + left + right)

class Frontier:
    """A tree that only grows: the roots of its perfect subtrees, the largest first."""
    def __init__(self, size=0, hashes=()):
        require(len(hashes) == bin(size).count("1"), f"this is not a frontier of {size} leaves")
        self.size, self.hashes = size, list(hashes)

    def push(self, digest, level=0):
        """Appends a leaf, or the root of 2^level leaves."""
        place = self.size >> level
        while place & 1:
            digest, place = node_hash(self.hashes.pop(), digest), place >> 1
        self.hashes.append(digest)
        self.size += 1 << level

    def complete(self, size, rest):
        """Appends the largest aligned perfect subtrees of [self.size, size), left to right."""
        for digest in rest:
            require(self.size < size, "`rest` has too many hashes")
            level = (size - self.size).bit_length() - 1
            aligned = (self.size & -self.size).bit_length() - 1 if self.size else level
            self.push(digest, min(level, aligned))
        require(self.size == size, "`rest` has too few hashes")

    def root(self):
        digest = self.hashes[-1] if self.hashes else sha256(b"")
        for left in self.hashes[-2::-1]:
            digest = node_hash(left, digest)
        return digest

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
    if small in (0, large):
        require(not proof and (not small or old_root == new_root), f"{what} is two of size {large}")
        return
    require(small < large and proof, f"{what} is not proven to grow from {small} to {large} leaves")
    level = (small & -small).bit_length() - 1
    path, nodes = ([old_root] if small == 1 << level else []) + proof, -(-large >> level)
    require(climb((small - 1) >> level, nodes, path[0], path[1:]) == (new_root, old_root),
            f"{what} of {large} leaves does not begin with that of {small}")

# --- Texts, notes, keys ----------------------------------------------------------------------
def refuse(text):
    raise ValueError(f"{text[:40]} is not a whole number below 2^53")

PLAIN = json.JSONDecoder(parse_int=lambda text: int(text) if len(text) < 17 else refuse(text),
                         parse_float=refuse, parse_constant=refuse)
EVENT = json.JSONDecoder(parse_int=float, parse_constant=refuse)

def read_json(data, form):
    """Reads JSON in its one form: no spaces, each field once and in its order."""
    require(data.count(b"[") + data.count(b"{") < 200_000 and data.count(b",") < 2_000_000,
            "this JSON would take too much memory")
    text = data.decode()
    value = PLAIN.decode(text)
    require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text,
            "this JSON has spaces, or a field twice")
    return shaped(value, form, "this")

def shaped(value, form, name):
    """Returns the value if it is of its form: objects with attributes, hashes as bytes."""
    if type(form) is dict:
        require(type(value) is dict and list(value) == list(form),
                f"{name} must have the fields {', '.join(form)}")
        return types.SimpleNamespace(**{key: shaped(value[key], form[key], key) for key in form})
    if type(form) is list:
        require(type(value) is list, f"{name} must be a list")
        return [shaped(item, form[0], name) for item in value]
    if form is bytes:
        require(type(value) is str and re.fullmatch(HASH, value), f"{name} must be base64 of a hash")
        return base64.b64decode(value)
    require(form is None or type(value) is form and (form is not int or 0 <= value < LAST),
            f"{name} must be {form and form.__name__}")
    return value

def matched(pattern, text, what):
    match = re.fullmatch(pattern, text)
    require(match, f"{what} is not of its format")
    return match.groups()

def number(digits):
    return shaped(int(digits), int, "a number")

def base64_bytes(text):
    data = base64.b64decode(text, validate=True)
    require(base64.b64encode(data).decode() == text, f'"{text[:99]}" is not base64')
    return data

Key = namedtuple("Key", "vkey name id algorithm public")
Note = namedtuple("Note", "text signatures")
Checkpoint = namedtuple("Checkpoint", "note origin size root")
Seal = namedtuple("Seal", "origin number time log next tables names heads keys day")

def read_vkey(vkey):
    matched(VKEY, vkey, "a key `<name>+<id>+<base64>`")
    name, key_id, public = vkey.split("+", 2)
    public = base64_bytes(public)
    require(len(public) == 33 and public[0] in (1, 4), f"{vkey} is not an Ed25519 key")
    require(sha256(name.encode() + b"\n" + public)[:4].hex() == key_id, f"{vkey} has a wrong id")
    return Key(vkey, name, bytes.fromhex(key_id), public[0], public[1:])

def read_note(data):
    """Reads a C2SP signed note. `signed` checks its signatures, key by key."""
    require(len(data) <= MiB, "a note has at most 1 MiB")
    (note,) = matched(r"([^\0-\x09\x0b-\x1f]*)", data.decode(), "the note")
    text, _, lines = note.rpartition("\n\n")
    *lines, end = lines.split("\n")
    require(text and end == "" and 1 <= len(lines) <= 64, "a note ends with 1 to 64 signatures")
    signatures = {}
    for line in lines:
        name, signature = matched(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)", line, "a line of signatures")
        signature = base64_bytes(signature)
        require(len(signature) > 4, "a signature is too short")
        signatures.setdefault((name, signature[:4]), signature[4:])
    return Note(text + "\n", signatures)

def signed(note, key):
    """Returns False if the key did not sign the note, else True, or the time of a witness.
    A signature of the key that fails is a fault of the whole note."""
    signature, message, time = note.signatures.get((key.name, key.id)), note.text.encode(), True
    if signature is None:
        return False
    if key.algorithm == 4:
        time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
        message = b"cosignature/v1\ntime %d\n" % time + message
    require(time < 2 ** 63 and ed25519_verify(key.public, message, signature),
            f"the signature of {key.name}+{key.id.hex()} is wrong")
    return time

def read_checkpoint(data):
    note = read_note(data)
    origin, size, root = matched(rf"([^\n]+)\n({NUMBER})\n({HASH})\n", note.text, "the checkpoint")
    return Checkpoint(note, origin, number(size), base64_bytes(root))

def read_seal(text):
    origin, index, time, log, reach, tables, names, heads, keys, day = matched(
        rf"shoeprint seal v1\n([^\n]+)\n({NUMBER})\ntime ({DATE}T[0-9][0-9]:[0-9][0-9]:[0-9][0-9])Z\n"
        rf"log ([!-~]{{1,200}})\nnext ({NUMBER}(?: {NUMBER}){{0,1023}})\ntables ({NUMBER}) ({HASH}) "
        rf"({HASH})\nkeys ({NUMBER})\n(?:day ({DATE})\n)?", text, "the seal")
    datetime.datetime.fromisoformat(time), datetime.date.fromisoformat(day or "2000-01-01")
    return Seal(origin, number(index), time + "Z", log, array.array("Q", map(int, reach.split())),
                number(tables), base64_bytes(names), base64_bytes(heads), number(keys), day)

class Statement:
    """A key statement: the keys that it adds, retires and revokes, and the note that says so."""
    def __init__(self, text):
        self.note, self.text = read_note(text.encode()), text
        self.origin, index, self.previous, adds, retires, revokes = matched(
            rf"shoeprint keys v1\n([^\n]+)\n({NUMBER})\nprevious (none|{NUMBER})\n"
            rf"((?:add {VKEY}\n)*)((?:retire {VKEY}\n)*)((?:revoke {VKEY} {NUMBER}\n)*)",
            self.note.text, "the key statement")
        self.index, self.adds = number(index), [read_vkey(line[4:]) for line in adds.splitlines()]
        self.retires = [line[7:] for line in retires.splitlines()]
        self.revokes = {line.split()[1]: number(line.split()[2]) for line in revokes.splitlines()}
        for key in self.adds:
            require(key.name in (self.origin, self.origin + "/exports") and key.algorithm == 1,
                    f"{key.vkey} is neither a log key nor an exports key of {self.origin}")

class Keyring:
    """The keys that the statements add, and the sizes of the log that each may sign.

    A statement at index i needs a log key that was valid before it, and counts as size i + 1.
    What it adds signs from that size on, what it retires not beyond it. A revocation reaches
    back: `until` is the first size at which a key's word counts no more."""
    def __init__(self, origin, statements):
        self.origin, self.statements, self.keys = origin, statements, {}
        for key in (key for statement in statements for key in statement.adds):
            require(self.keys.setdefault(key.vkey, key) is key, f"{key.vkey} is added twice")
        require(len(self.keys) <= MOST_KEYS, f"there are more than {MOST_KEYS} keys")
        self.signers = [{key.vkey for key in self.keys.values() if signed(statement.note, key)}
                        for statement in statements]
        first = [key.vkey for key in statements[0].adds if key.name == origin]
        self.safe, wanted, revoking = first[1] if len(first) > 1 else None, [], None
        for _ in range(len(statements) + 2):
            if revoking == wanted:
                return
            revoking = wanted
            self.walk(revoking)
            wanted = [place for place, statement in enumerate(statements)
                      if statement.revokes and self.authority[place]]
        raise Fault("the revocations contradict each other")

    def walk(self, revoking):
        """Finds the keys that give each statement its authority, if these revocations hold."""
        self.since, self.until, self.authority = {}, {}, []
        for vkey, size in (item for place in revoking for item in
                           self.statements[place].revokes.items()):
            self.until[vkey] = min(size, self.until.get(vkey, size))
        for statement, signers in zip(self.statements, self.signers):
            added = {key.vkey for key in statement.adds if key.name == self.origin}
            ended = {*statement.retires, *statement.revokes}
            before = {vkey for vkey in signers if vkey in self.since
                      and statement.index + 1 < self.until.get(vkey, LAST)}
            good = added <= signers and ended <= set(self.since) and not (
                self.safe in ended and self.safe not in before)
            self.authority.append((before if statement.index else added) if good else set())
            if self.authority[-1]:
                self.since.update((key.vkey, statement.index + 1) for key in statement.adds)
                self.until.update((vkey, min(statement.index + 2, self.until.get(vkey, LAST)))
                                  for vkey in statement.retires)

    def signed_by(self, note, size, name):
        """Returns the keys of this name that signed the note and were in force at this size."""
        keys = [vkey for vkey, key in self.keys.items() if key.name == name and signed(note, key)]
        return {key for key in keys if self.since.get(key, LAST) <= size < self.until.get(key, LAST)}

    def reached_from(self, vkeys):
        """Returns these keys and those that they vouch for, by the statements that they signed."""
        reached = set(vkeys)
        for statement, authority in zip(self.statements, self.authority):
            reached.update(key.vkey for key in statement.adds if authority & reached)
        return reached

# --- The files of a package: a zip or a folder -----------------------------------------------
class ShortReads(io.FileIO):
    """A file that refuses to read a zip directory that would take too much memory."""
    def read(self, size=-1):
        require(size <= 8 * MiB, "the zip's directory has more than 8 MiB")
        return super().read(size)

class Source:
    """The files of a package: `files` has their sizes, `open` reads one."""
    def __init__(self, path):
        self.files, self.folder, self.root, self.zip = {}, None, path, None
        require(os.path.isdir(path) or os.path.isfile(path), f"{path} is not a file or a folder")
        (self.scan if os.path.isdir(path) else self.unzip)(path)

    def scan(self, root):
        folders = [""]
        for folder in folders:
            for entry in os.scandir(os.path.join(root, folder)):
                status, name = entry.stat(follow_symlinks=False), folder + entry.name
                self.check(name, stat.S_IFMT(status.st_mode))
                if stat.S_ISDIR(status.st_mode):
                    folders.append(name + "/")
                else:
                    self.files[name] = status.st_size

    def unzip(self, path):
        self.zip, local, end = zipfile.ZipFile(ShortReads(path)), ShortReads(path), 0
        for entry in sorted(self.zip.infolist(), key=lambda entry: entry.header_offset):
            name = entry.orig_filename
            self.check(name.rstrip("/"), stat.S_IFMT(entry.external_attr >> 16))
            require(entry.compress_type in (0, 8) and not entry.flag_bits & 0x2061,
                    f"{name} is encrypted, or not stored or deflated")
            require(entry.file_size < 16 * MiB or entry.file_size <= 200 * entry.compress_size,
                    f"{name} inflates more than 200-fold")
            local.seek(entry.header_offset)
            mark, _, flags, method, _, _, crc, packed, size, names, extra = struct.unpack(
                "<4s5H3L2H", local.read(30))
            later = flags & 8 or 0xffffffff in (packed, size)
            require((mark, flags, method) == (b"PK\3\4", entry.flag_bits, entry.compress_type) and (
                later or (crc, packed, size) == (entry.CRC, entry.compress_size, entry.file_size)),
                f"the local header of {name} contradicts the directory")
            self.zip.open(entry).close()
            require(entry.header_offset >= end, f"{name} overlaps another entry")
            end = entry.header_offset + 30 + names + extra + entry.compress_size
            require(end <= self.zip.start_dir, f"{name} overlaps the directory")
            folder, _, inside = name.partition("/")
            require(self.folder in (None, folder), "a package has one folder")
            self.folder = folder
            if inside and not inside.endswith("/"):
                require(inside not in self.files, f"{name} is there twice")
                self.files[inside] = entry.file_size

    def check(self, name, kind):
        require(len(self.files) < MOST_FILES, f"there are more than {MOST_FILES} files")
        require(kind in (0, stat.S_IFREG, stat.S_IFDIR), f"{name} is a link or a device")
        require(len(name) <= 500 and not re.search(r"[\\\0-\x1f\ud800-\udfff]|^[A-Za-z]:", name)
                and not {"", ".", ".."} & set(name.split("/")), f"{name[:99]} is not a safe name")

    def open(self, name):
        require(name in self.files, "the file is not there", "absent", file=name)
        return (io.BufferedReader(self.zip.open(f"{self.folder}/{name}"), MiB // 4) if self.zip
                else open(os.path.join(self.root, name), "rb"))

    def read(self, name, limit=MiB):
        with self.open(name) as file:
            data = file.read(limit + 1)
        require(len(data) <= limit, f"the file has more than {limit} bytes", file=name)
        return data

    def lines(self, name, limit=LINE_LIMIT):
        """Yields the lines of a file without the newline that each of them ends with."""
        with self.open(name) as file:
            for line in iter(lambda: file.readline(limit + 1), b""):
                require(line.endswith(b"\n"), f"a line does not end within {limit} bytes", file=name)
                yield line[:-1]

# --- The steps -------------------------------------------------------------------------------
class Verifier:
    """Runs the steps. A fault ends the part in which it is found; the other parts go on."""
    def __init__(self, key=None, trusted=(), witnesses=(), quorum=0):
        self.key, self.trusted, self.witnesses, self.quorum = key, [*trusted], witnesses, quorum
        self.faults, self.kinds, self.warnings, self.witnessed = [], set(), [], []
        self.package = self.last = self.day = self.signer = self.cached = None
        self.counts = dict.fromkeys(("tables", "records", "events", "seals", "faults"), 0)
        self.roots, self.heads, self.since, self.hashes, self.names = {}, {}, {}, {}, {}
        self.sealed, self.short, self.name_hash = {"after": None, "to": None}, False, hashlib.sha256()

    def use(self, options):
        """Takes what the reader trusts from the command line."""
        if options.key:
            try:
                self.key = read_vkey(options.key)
            except Fault:
                with open(options.key, "rb") as file:
                    self.key = read_vkey(file.read(MiB).decode().strip())
        for name in options.trusted:
            with open(name, "rb") as file:
                self.trusted.append((name, read_checkpoint(file.read(MiB + 1))))
        self.witnesses = [read_vkey(vkey) for vkey in options.witness]
        for key, algorithm in [(self.key, 1)] * bool(self.key) + [(key, 4) for key in self.witnesses]:
            require(key.algorithm == algorithm, f"{key.vkey} is not the key of a log, or of a witness")
        self.quorum = len(self.witnesses) if options.quorum is None else options.quorum
        require(0 <= self.quorum <= len({key.vkey for key in self.witnesses}),
                "--quorum is at most the number of --witness")

    @contextlib.contextmanager
    def part(self, step, kind=None, fatal=False, **where):
        try:
            yield
        except (Fault, *DAMAGE) as error:
            fault = error if isinstance(error, Fault) else Fault(f"this cannot be read: {error}")
            if kind or fatal or fault.kind != "absent":
                kind = kind or fault.kind.replace("absent", "incomplete")
                self.add(step, fault.message, kind, **{**where, **fault.where})
            if fatal:
                raise Stop from None

    def add(self, step, message, kind="altered", **where):
        self.counts["faults"] += 1
        self.kinds.add(kind)
        if len(self.faults) < MOST_FAULTS:
            self.faults.append({"step": step, "kind": kind, **where, "message": message})

    def verdict(self):
        kinds = [kind for kind in ("unreadable", "altered", "incomplete") if kind in self.kinds]
        return kinds[0].upper() if kinds else "INTACT"

    def json(self, name, form):
        return read_json(self.source.read(name, JSON_LIMIT), form)

    def with_path(self, form):
        """Where all tables are in the package, heads have no path."""
        return {key: value for key, value in form.items() if key != "path" or not self.package.all}

    def verify(self, path):
        with contextlib.suppress(Stop):
            with self.part(1, "unreadable", fatal=True):
                self.source = Source(path)
            with self.part(1, fatal="bag-info.txt" in self.source.files, file="bag-info.txt"):
                self.check_payload()
            with self.part(1, "unreadable", file="data/package.json"):
                self.read_package()
            self.check_files()
            if not self.package:
                return
            with self.part(3, fatal=True, file="data/site/checkpoint"):
                self.checkpoint = read_checkpoint(self.source.read("data/site/checkpoint"))
            with self.part(3, fatal=True, file="data/site/proof.json"):
                self.read_site()
            self.check_signatures()
            with self.part(4, file="data/site/since.json"):
                self.read_since()
            with self.part(5, file="data/site/leaves.ndjson"):
                self.check_seals()
            for table in sorted(self.package.tables, key=lambda table: table.number):
                self.check_table(table)
            for seal, tree, records in self.heads.values():
                if (tree.size, tree.root(), records) != (seal.tables, seal.heads, sum(seal.next)) and not (
                        self.missing and tree.size < seal.tables):
                    self.add(6, "the heads of all tables do not make the seal's heads root, or the "
                             "sum of its `next`", seal=seal.number)
            for name, trusted in self.trusted:
                with self.part(4, file=name):
                    self.check_trusted(trusted)

    def check_payload(self):  # step 1
        sizes = [size for name, size in self.source.files.items() if name.startswith("data/")]
        found = re.findall(rf"^Payload-Oxum: ({NUMBER})\.({NUMBER})$",
                           self.source.read("bag-info.txt").decode(), re.M)
        require(len(found) == 1, "it must say once `Payload-Oxum: <bytes>.<files>`")
        octets, count = map(int, found[0])
        require(sum(sizes) <= octets and len(sizes) <= count, "reading stops: the payload has "
                f"{sum(sizes)} bytes in {len(sizes)} files, more than Payload-Oxum says")
        self.short = (sum(sizes), len(sizes)) != (octets, count)

    def read_package(self):
        package, order = self.json("data/package.json", PACKAGE), "kind table shoe finding day from to"
        after, to = package.range.after, package.range.to
        require(package.format == "shoeprint package v1", "this is not `shoeprint package v1`")
        require(list(package.scope) == [name for name in order.split() if name in package.scope] and
                package.scope.get("kind") in ("shoe", "finding", "table", "day"), "unknown scope")
        require(after is None or 0 < shaped(after, int, "after") <= to, "`after` is not before `to`")
        require(to < package.size, "`to` is not below `size`")
        numbers = {table.number for table in package.tables}
        require(len(numbers) == len(package.tables) > 0, "`tables` is empty, or has a number twice")
        package.after, package.to, self.package = after, to, package

    def check_files(self):  # step 2
        files, listed, named, rules = self.source.files, {}, set(FILES), {}
        if self.package:
            rules = {f"data/rules/{rule.id}.json": rule.sha256 for rule in self.package.rules}
            named.update(rules, (f"data/tables/{table.number}/{name}"
                                 for table in self.package.tables for name in TABLE_FILES))
            if self.source.folder not in (None, self.package.id):
                self.add(2, f"the folder in the zip is not named {self.package.id}")
        for manifest in MANIFESTS:
            with self.part(2, file=manifest):
                for line in self.source.lines(manifest, 1024):
                    sha, name = matched("([0-9a-f]{64})  ([^\n]+)", line.decode(), "a line")
                    require(name not in listed and MANIFESTS[name.startswith("data/")] == manifest,
                            f"{name} is listed twice, or in the wrong manifest")
                    listed[name] = sha
        self.missing = sorted((named | set(listed)) - set(files))
        for name in self.missing:
            self.add(2, "the file is not there", "incomplete", file=name)
        if self.short and not self.missing:
            self.add(1, "Payload-Oxum is not that of the payload", file="bag-info.txt")
        for name in sorted(files):
            with self.part(2, file=name), self.source.open(name) as file:
                sha = hashlib.sha256()
                for chunk in iter(lambda: file.read(MiB // 4), b""):
                    sha.update(chunk)
                sha = self.hashes[name] = sha.hexdigest()
                require(listed.get(name, sha) == sha, "the file is not as hashed in the manifest")
                require(name in listed or name in ("receipt", MANIFESTS[0]) or
                        MANIFESTS[name.startswith("data/")] not in files, "no manifest lists the file")
                require(name in named or name.startswith("data/reports/") or not self.package,
                        "the format has no such file")
                require(rules.get(name, sha) == sha, "the file is not as hashed in package.json")
        with self.part(2, file="bagit.txt"):
            require(self.source.read("bagit.txt") == b"BagIt-Version: 1.0\n"
                    b"Tag-File-Character-Encoding: UTF-8\n", "this is not BagIt 1.0 in UTF-8")

    def included(self, entry):
        """Checks that a leaf is in the log. Returns the root of the log that ends with the leaf."""
        root, first = climb(entry.index, self.tip[0], leaf_hash(entry.text.encode()), entry.proof)
        require(root == self.tip[1], f"leaf {entry.index} is not proven to be in the log")
        return first

    def read_site(self):  # step 3
        self.site, self.tip = self.json("data/site/proof.json", SITE), self.checkpoint[2:]
        self.roots[self.tip[0]], keys, before = self.tip[1], self.site.keys, "none"
        self.consistency = {vars(entry)["from"]: entry.proof for entry in self.site.consistency}
        require(1 <= len(keys) <= MOST_KEYS and keys[0].index == 0, "`keys` do not begin at leaf 0")
        self.statements, self.name_lines = {}, self.source.lines("data/site/names", 64 * 1024)
        for entry in [*keys, self.site.latest]:
            self.included(entry)
        for entry in keys:
            statement = self.statements[entry.index] = Statement(entry.text)
            require((statement.origin, statement.index, statement.previous) ==
                    (self.package.origin, entry.index, before),
                    f"the statement at leaf {entry.index} does not follow that at leaf {before}")
            before = str(entry.index)
        self.latest = read_seal(self.site.latest.text)
        require(self.latest.number + 1 == self.tip[0], "the last leaf is not the latest seal")
        self.ring = Keyring(self.package.origin, list(self.statements.values()))

    def check_signatures(self):
        point, ring, origin = self.checkpoint, self.ring, self.package.origin
        for statement, signers, authority in zip(ring.statements, ring.signers, ring.authority):
            known = signers & set(ring.since)
            if not authority and known and all(ring.until.get(key, LAST) <= statement.index + 1
                                               for key in known):
                self.warnings.append(f"key statement {statement.index} counts no more: only keys "
                                     "that were revoked signed it")
            elif not authority:
                self.add(3, "a signature is missing: of a log key in force, of a key that is added, "
                         "or of the key in the safe that is ended", file="data/site/proof.json",
                         seal=statement.index)
        given, signers = {self.key.vkey} if self.key else set(), set()
        with self.part(3, file="data/site/checkpoint"):
            require((origin, self.package.size) == point[1:3], "it is not that of package.json")
            signers = ring.signed_by(point.note, point.size, origin)
            require(signers, "no log key in force at its size signed it")
        with self.part(2, file="receipt"):
            note = read_note(self.source.read("receipt"))
            require(ring.signed_by(note, point.size, origin + "/exports"), "no exports key signed it")
            tags = self.hashes.get(MANIFESTS[0], "nothing")
            require(note.text == f"shoeprint package v1\n{origin}\n{self.package.id}\n{tags}\n" or
                    tags == "nothing", "it is not the receipt of this package")
        for witness in self.witnesses:
            with self.part(3, file="data/site/checkpoint"):
                self.witnessed += [witness.name] if signed(point.note, witness) else []
        if len(self.witnessed) < self.quorum:
            self.add(3, f"{len(self.witnessed)} of the witnesses that you named signed it, and "
                     f"{self.quorum} have to", "incomplete", file="data/site/checkpoint")
        for name, trusted in self.trusted:
            with self.part(4, file=name):
                require(trusted.origin == origin, f"it is a checkpoint of {trusted.origin}")
                old = ring.signed_by(trusted.note, trusted.size, origin)
                require(old, "no log key of this package signed the checkpoint that you hold")
                given |= old
        known = sorted(signers & ring.reached_from(given))
        self.signer = (known or sorted(signers) or [None])[0]
        if signers and not known and given:
            self.add(3, f"signed by {self.signer}, for which the key that you gave does not vouch")
        elif signers and not known:
            self.add(3, f"who signed it is not known to you: ask the house for its key, and whether "
                     f"it is {self.signer}", "incomplete")

    def read_since(self):  # step 4
        form = {**SINCE, "tables": [self.with_path(SINCE["tables"][0])]}
        for entry in sorted(self.json("data/site/since.json", [form]), key=lambda each: each.size):
            require(entry.seal.index + 1 == entry.size, f"the last leaf of {entry.size} is no seal")
            root = self.roots[entry.size] = self.included(entry.seal)
            check_consistent("the site log", (entry.size, root), self.tip,
                             self.consistency.get(entry.size, []))
            heads = {head.number: head for head in entry.tables}
            require(len(heads) == len(entry.tables), f"size {entry.size} has a table twice")
            self.since[entry.size] = read_seal(entry.seal.text), heads
        require(sorted(vars(entry)["from"] for entry in self.site.consistency) ==
                sorted({self.package.to + 1, *self.since}), "data/site/proof.json has a consistency "
                "proof too many or too few")

    def check_trusted(self, trusted):
        size, root = trusted.size, self.roots.get(trusted.size)
        ask = f"ask for an export with --since and your checkpoint of size {size}"
        require(root, f"the package has no proof from size {size}: {ask}", "incomplete")
        require(root == trusted.root, f"history was rewritten: the first {size} leaves are others "
                "than in the checkpoint that you hold")
        seal, heads = self.since.get(size, (None, {}))
        beyond = size <= (self.package.after or 0) or self.package.to + 1 < size < self.tip[0]
        for table in self.package.tables:
            require(not (seal and beyond) or table.number >= seal.tables or table.number in heads,
                    f"there is no proof from size {size}: {ask}", "incomplete", table=table.table)

    def leaves(self):  # step 5
        index = self.package.after or 0
        for line in self.source.lines("data/site/leaves.ndjson"):
            leaf = read_json(line, LEAF)
            require(leaf.index == index <= self.package.to, f"leaf {index} is not next")
            yield index, leaf.text
            index += 1
        require(index == self.package.to + 1, f"leaf {index} is not there")

    def seals(self):
        return iter(self.cached) if self.cached else (
            read_seal(text) for index, text in self.leaves() if index not in self.statements)

    def check_seals(self):
        start, to, held, room = self.package.after or 0, self.package.to, [], 16 * MiB
        tree, wanted = Frontier(start, self.site.frontier), {point.size for _, point in self.trusted}
        for size in [size for size in self.since if size <= start]:
            self.follow(self.since[size][0], size - 1)
        for index, text in self.leaves():
            tree.push(leaf_hash(text.encode()))
            if tree.size in wanted or tree.size in self.roots:
                require(self.roots.setdefault(tree.size, tree.root()) == tree.root(),
                        f"the first {tree.size} leaves are not those that are proven", seal=index)
            if index in self.statements:
                require(text == self.statements[index].text and index not in (self.package.after, to),
                        "this leaf has to be a seal, or the proven key statement", seal=index)
                continue
            seal, room = read_seal(text), room - len(text)
            self.follow(seal, index, index > start or start == 0)
            self.counts["seals"] += 1
            held.append(seal) if room > 0 else held.clear()
            self.sealed.update({"after": seal.time} if index == self.package.after else {})
        self.cached, time = held, self.last.time
        check_consistent("the site log", (to + 1, tree.root()), self.tip,
                         self.consistency.get(to + 1, []))
        for size in [size for size in self.since if size > to + 1]:
            self.follow(self.since[size][0], size - 1)
        self.follow(self.latest, self.latest.number)
        require(next(self.name_lines, None) is None, "it has more names", file="data/site/names")
        self.sealed["to"] = time

    def follow(self, seal, index, adjacent=False):
        """Reports where a seal does not go on from the last one. `adjacent`: none lies between."""
        last, self.last, leaves = self.last or seal, seal, list(self.statements)
        before = leaves[bisect.bisect_left(leaves, index) - 1]
        with self.part(5, file="data/site/names", seal=index):
            require(self.read_names(seal.tables, adjacent) == seal.names,
                    "the names at this seal are not the first of this list")
        for holds, message in (
                (seal.origin == self.package.origin, "the seal is of another site"),
                (seal.number == index, "the seal has another number than its leaf"),
                (seal.keys == before, f"the seal does not name key statement {before}"),
                (seal.time >= last.time, f"the seal's time goes back from {last.time}"),
                (seal.log == last.log, f"the seal is of another log than {last.log}"),
                (len(seal.next) == len(last.next) and all(map(operator.ge, seal.next, last.next)),
                 "`next` falls, or has other partitions"),
                (seal is last or not seal.day or not self.day or seal.day > self.day
                 or seal.number == last.number, f"the seal's day is not later than {self.day}")):
            if not holds:
                self.add(5, message, file="data/site/leaves.ndjson", seal=index)
        self.day = seal.day or self.day

    def read_names(self, count, adjacent):
        """Reads the names list up to `count` names, and returns the hash of what was read."""
        require("data/site/names" in self.source.files, "the file is not there", "absent")
        require(len(self.names) <= count <= MOST_TABLES, "the number of tables falls, or is too large")
        before = b""
        for line in itertools.islice(self.name_lines, count - len(self.names)):
            table = urllib.parse.unquote_to_bytes(line)
            require(urllib.parse.quote(table, safe="").encode() == line and sha256(line) not in
                    self.names and (before <= table or not adjacent),
                    f"name {len(self.names)} is not of its form, or there twice, or out of order")
            self.name_hash.update(line + b"\n")
            self.names[sha256(line)], before = len(self.names), table
        require(len(self.names) == count, f"the list ends before name {count - 1}")
        return self.name_hash.digest()

    def check_table(self, table):  # step 6
        folder, table.tip, end = f"data/tables/{table.number}/", None, table.first + table.records
        where = {"table": table.table, "file": folder + "proof.json"}
        self.counts["tables"] += 1
        with self.part(6, **where):
            name = urllib.parse.quote(table.table, safe="")
            number = self.names.get(sha256(name.encode()))
            require(table.name == name and (number == table.number or not self.sealed["to"]),
                    "the table has another name or number in data/site/names", file="data/package.json")
            latest = self.with_path({**HEAD, **LATEST})
            proof = self.json(folder + "proof.json", {**TABLE, "latest": latest})
            self.check_records(table, folder, proof)
        if table.tip is None:
            return
        last = (proof.latest.size, proof.latest.root)
        with self.part(6, **where):
            self.check_head(table, self.latest, proof.latest, 7)
            check_consistent(f"table {table.name}", table.tip, last, proof.latest.consistency)
        for seal, heads in self.since.values():
            with self.part(4, table=table.table, file="data/site/since.json", seal=seal.number):
                head = heads.get(table.number)
                if head:
                    self.check_head(table, seal, head, 4)
                    check_consistent(f"table {table.name}", (head.size, head.root), last,
                                     head.consistency)
        for file, (size, root), low, high in (("context.ndjson", table.tip, 0, table.first),
                                              ("later.ndjson", last, end, last[0])):
            with self.part(6, table=table.table, file=folder + file):
                for line in self.source.lines(folder + file):
                    record = read_json(line, RECORD)
                    require(low <= record.n < high, f"record {record.n} has no place here")
                    reached, _ = climb(record.n, size, leaf_hash(record.value.encode()), record.proof)
                    require(reached == root, "the record is not the one sealed", record=record.n)
                    low = record.n + 1

    def check_head(self, table, seal, head, file):
        """Checks that a head is in its seal: by its path, or with those of all other tables."""
        root = base64.b64encode(head.root).decode()
        leaf = leaf_hash(f"{self.package.origin}/table/{table.name}\n{head.size}\n{root}\n".encode())
        require(head.size > 0, "a table of size 0 has no head")
        if self.package.all:
            heads = self.heads.setdefault((file, seal.number), [seal, Frontier(), 0])
            require(len(self.heads) <= MOST_SEALS, f"there are more than {MOST_SEALS} seals")
            heads[1].push(leaf)
            heads[2] += head.size
        else:
            require(climb(table.number, seal.tables, leaf, head.path)[0] == seal.heads,
                    "the head of the table is not in the seal's heads root")

    def check_records(self, table, folder, proof):
        """Grows the table record by record and compares its root at every seal of the range."""
        tree, end, early, sound = Frontier(table.first, proof.frontier), table.first + table.records, None, True
        records, last, tip = self.records(table, folder), None, (0, sha256(b""))
        heads, form = self.source.lines(folder + "heads.ndjson"), {"seal": int, **self.with_path(HEAD)}
        for seal in self.seals():
            if table.number >= seal.tables:
                last = seal
                continue
            here = {"file": folder + "heads.ndjson", "seal": seal.number}
            head = read_json(next(heads, b"null"), form)
            require(head.seal == seal.number and head.size >= tip[0],
                    "the head at this seal is missing, or smaller than the one before", **here)
            with self.part(6, table=table.table, **here):
                self.check_head(table, seal, head, 6)
            tip, low = (head.size, head.root), tree.size
            if head.size < table.first:
                require(seal.number == self.package.after, "the range begins after this seal", **here)
                early = tip
            else:
                for record, digest, partition, offset in itertools.islice(
                        records, min(head.size, end) - tree.size):
                    tree.push(digest)
                    require(partition < len(seal.next) and (last.next[partition] if last else 0)
                            <= offset < seal.next[partition], "the record has an offset outside the "
                            "reach of its seal", file=folder + "records.csv", record=record,
                            partition=partition, offset=offset, seal=seal.number)
                if seal.number == self.package.to:
                    tree.complete(head.size, proof.rest)
                require(tree.size == head.size, "the range ends before this seal", **here)
                if sound and tree.root() != head.root:
                    sound = self.add(6, f"between records {low} and {head.size - 1}: they are not "
                                     f"those that seal {seal.number} holds", table=table.table,
                                     **here, record=low)
            last = seal
        require(next(heads, None) is None and next(records, None) is None and tip[0] >= end,
                "there are heads after the last seal, or records that no seal holds")
        if early:
            check_consistent(f"table {table.name}", early, tip, proof.before)
        require(early or not proof.before, "`before` has to be empty")
        table.tip, table.latest = tip, proof.latest

    def records(self, table, folder):
        """Yields the index, hash, partition and offset of each record, and judges its lines."""
        unjudged = {(each.record, each.line) for each in self.package.unjudged
                    if each.table == table.table}
        rows, events, place = self.source.lines(folder + "records.csv", 1024), 0, (None, -1)
        require(next(rows, b"") == b"n,bytes,lines,partition,offset,check",
                "it does not begin with the names of its columns", file=folder + "records.csv")
        with self.source.open(folder + "events.ndjson") as file:
            for n in range(table.first, table.first + table.records):
                here = {"file": folder + "events.ndjson", "record": n}
                row = matched(ROW, next(rows, b"").decode(), f"the row of record {n}")
                index, size, lines, partition, offset = map(int, row[:5])
                here.update(partition=partition, offset=offset)
                require(index == n and size <= RECORD_LIMIT and offset > place[1] and
                        partition == (partition if place[0] is None else place[0]),
                        f"the row of record {n} does not follow the one before", **here)
                value, place = file.read(size), (partition, offset)
                digest = leaf_hash(value)
                require(len(value) == size and file.read(1) == b"\n",
                        "the record does not end where records.csv says", **here)
                if digest.hex()[:8] != row[5]:
                    self.add(6, "the record is not the one that records.csv names", table=table.table, **here)
                require(lines == (value.count(b"\n") + 1 if value else 0), "the record has other lines", **here)
                for line, text in enumerate(value.split(b"\n") if value else (), 1):
                    if (n, line) not in unjudged and table_of(text) != table.table:
                        self.add(6, "the line does not name this table", table=table.table, **here, line=line)
                events += lines
                self.counts["records"] += 1
                self.counts["events"] += lines
                yield n, digest, partition, offset
            require(file.read(1) == b"" and next(rows, None) is None and events == table.events,
                    "there are more records, or other events than package.json says")

# --- The command line ------------------------------------------------------------------------
def table_of(line):
    """Returns the table that an event names, or None."""
    try:
        event = EVENT.decode(line.decode())
    except (ValueError, RecursionError):
        return None
    return event.get("table") if type(event) is dict else None

def printed(value):
    """Makes text from a package safe for a terminal."""
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in str(value))

def show(verifier, path):
    package, counts, sealed = verifier.package, verifier.counts, verifier.sealed
    print(f"{verifier.verdict()}  {printed(package.id if package else path)}: {counts['events']:,} events "
          f"in {counts['records']:,} records of {counts['tables']:,} tables, {counts['seals']:,} seals")
    print(f"  signed     {printed(verifier.signer)}       cosigned  "
          f"{printed(', '.join(verifier.witnessed) or 'not checked')}")
    print(f"  history    {'compared with' if verifier.trusted else 'not checked: no'} earlier checkpoint"
          f"       sealed    {sealed['after']} to {sealed['to']} by the house's clock")
    print("  steps      1 to 6 of 8: the findings are not computed again")
    for warning in verifier.warnings:
        print(f"  warning    {printed(warning)}")
    for fault in verifier.faults:
        where = ", ".join(f"{key} {value}" for key, value in fault.items()
                          if key not in ("step", "kind", "message"))
        print(f"  step {fault['step']}     {fault['kind']}: {printed(where)}: {printed(fault['message'])}")
    if counts["faults"] > len(verifier.faults):
        print(f"  and {counts['faults'] - len(verifier.faults)} more faults")

class Arguments(argparse.ArgumentParser):
    def error(self, message):
        raise Fault(message, "unreadable")

def main(arguments):
    parser, verifier, json_asked = Arguments(description=__doc__.split("\n")[0]), Verifier(), False
    parser.add_argument("package", metavar="PACKAGE|FOLDER")
    parser.add_argument("--key", metavar="VKEY|FILE")
    parser.add_argument("--trusted", metavar="CHECKPOINT", action="append", default=[])
    parser.add_argument("--witness", metavar="VKEY", action="append", default=[])
    parser.add_argument("--quorum", metavar="N", type=int)
    parser.add_argument("--json", action="store_true")
    path = ""
    with contextlib.suppress(Stop):
        with verifier.part(1, "unreadable", fatal=True):
            options = parser.parse_args(arguments)
            path, json_asked = options.package, options.json
            verifier.use(options)
        verifier.verify(options.package)
    sys.stdout.reconfigure(errors="backslashreplace")
    if json_asked:
        print(json.dumps({"verdict": verifier.verdict(), "faults": verifier.faults,
                          "warnings": verifier.warnings, "counts": verifier.counts,
                          "key": verifier.signer, "sealed": verifier.sealed}))
    else:
        show(verifier, path)
    return EXITS[verifier.verdict()]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
