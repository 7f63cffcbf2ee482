"""The formats of docs/evidence.md, for verify.py: signatures, trees, notes, keys and seals, and the
files of a package. Written from the words of that page and of docs/decisions/0035 only.
"""
import array
import base64
import contextlib
import datetime
import hashlib
import io
import json
import os
import re
import stat
import struct
import types
import zipfile
import zlib
from collections import namedtuple

MiB, LAST = 1024 * 1024, 2 ** 53
MOST_FILES, MOST_KEYS, MOST_FAULTS, LINE_LIMIT = 100_000, 1_000, 100, 8 * MiB
NUMBER, HASH = "(?:0|[1-9][0-9]{0,15})", "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
VKEY, DATE = r"[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*", "[0-9]{4}-[0-9]{2}-[0-9]{2}"
# What the standard library raises about bytes that are not of a format.
DAMAGE = (OSError, EOFError, ValueError, OverflowError, RuntimeError, NotImplementedError,
          struct.error, zlib.error, zipfile.BadZipFile)

class Fault(Exception):
    """A fault: its message, its kind, and where it is. The kind is altered, incomplete, unreadable,
    or absent: a missing file, which step 2 reports once."""
    def __init__(self, message, kind="altered", **where):
        super().__init__(message)
        self.message, self.kind, self.where = message, kind, where

class Stop(Exception):
    """Nothing more can be checked."""

class Report:
    """What was found. A fault ends the part in which it is found; the other parts go on."""
    def __init__(self):
        self.faults, self.kinds, self.warnings = [], set(), []
        self.counts = dict.fromkeys(("tables", "records", "events", "seals", "faults"), 0)

    @contextlib.contextmanager
    def part(self, step, kind=None, fatal=False, **where):
        """Catches the fault that ends this part. A fatal one ends the run."""
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
        fields = {key.rstrip("?"): form[key] for key in form
                  if key[-1] != "?" or type(value) is dict and key[:-1] in value}
        require(type(value) is dict and list(value) == list(fields),
                f"{name} must have the fields {', '.join(form)}")
        return types.SimpleNamespace(**{key: shaped(value[key], fields[key], key)
                                        for key in fields})
    if type(form) is list:
        require(type(value) is list, f"{name} must be a list")
        return [shaped(item, form[0], name) for item in value]
    if form is bytes:
        require(type(value) is str and re.fullmatch(HASH, value), f"{name} must be a base64 hash")
        return base64.b64decode(value)
    require(form is None or type(value) is form and (form is not int or 0 <= value < LAST),
            f"{name} must be {form and form.__name__}")
    return value

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
        rf"shoeprint seal v1\n([^\n]+)\n({NUMBER})\n"
        rf"time ({DATE}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})Z\nlog ([!-~]{{1,200}})\n"
        rf"next ({NUMBER}(?: {NUMBER}){{0,1023}})\ntables ({NUMBER}) ({HASH}) ({HASH})\n"
        rf"keys ({NUMBER})\n(?:day ({DATE})\n)?", text, "the seal")
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

    def uncounted(self):
        """Yields the index of each statement that counts for nothing, and whether only keys that
        were revoked by then signed it."""
        for statement, signers, authority in zip(self.statements, self.signers, self.authority):
            known = [vkey for vkey in signers if vkey in self.since]
            if not authority:
                yield statement.index, bool(known) and all(
                    self.until.get(vkey, LAST) <= statement.index + 1 for vkey in known)

    def signed_by(self, note, size, name):
        """Returns the keys of this name that signed the note and were in force at this size."""
        keys = [vkey for vkey, key in self.keys.items() if key.name == name and signed(note, key)]
        return {vkey for vkey in keys
                if self.since.get(vkey, LAST) <= size < self.until.get(vkey, LAST)}

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
        local.seek(-22 - len(self.zip.comment), io.SEEK_END)
        mark, _, count = struct.unpack("<4s6sH", local.read(12))
        offsets = [entry.header_offset for entry in self.zip.infolist()]
        require(mark == b"PK\5\6" and count in (len(offsets), 0xffff) and min(offsets) == 0,
                "the zip has bytes before or behind it, or another number of entries than it says")
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
                require(line.endswith(b"\n"), f"a line does not end in {limit} bytes", file=name)
                yield line[:-1]

# --- The files and fields of the format -----------------------------------------------------
MANIFESTS = ("tagmanifest-sha256.txt", "manifest-sha256.txt")  # the second is that of data/
BAGIT = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
ABOUT, CHECKPOINT, NAMES = "data/package.json", "data/site/checkpoint", "data/site/names"
LEAVES, SITE_PROOF, SINCE_FILE = (
    "data/site/leaves.ndjson", "data/site/proof.json", "data/site/since.json")
FILES = {"bagit.txt", "bag-info.txt", *MANIFESTS, "VERIFY.txt", "receipt", ABOUT, CHECKPOINT, NAMES,
         LEAVES, SITE_PROOF, SINCE_FILE, "data/findings.ndjson", "data/unjudgeable.ndjson",
         "data/commission.csv", "data/shoes.csv", "data/days.csv"}
TABLE_FILES = ("events.ndjson", "records.csv", "heads.ndjson", "proof.json", "context.ndjson",
               "later.ndjson")
ROW = rf"({NUMBER}),({NUMBER}),({NUMBER}),({NUMBER}),({NUMBER}),([0-9a-f]{{8}})"
# The fields of JSON files, in their order. `bytes` is a hash in base64, None is any
# value, and a field with `?` can be absent.
LEAF, PROVEN = {"index": int, "text": str}, {"index": int, "text": str, "proof": [bytes]}
SITE = {"frontier": [bytes], "consistency": [{"from": int, "proof": [bytes]}], "keys": [PROVEN],
        "latest": PROVEN}
HEAD, GROWN = {"size": int, "root": bytes, "path?": [bytes]}, {"consistency": [bytes]}
RECORD = {"n": int, "value": str, "proof": [bytes]}
PACKAGE = {
    "format": str, "id": str, "origin": str, "size": int, "scope": dict,
    "range": {"after": None, "to": int}, "all": bool, "tables": [
        {"table": str, "name": str, "number": int, "first": int, "records": int, "events": int,
         "shoes": None}], "rules": [{"id": str, "sha256": str}], "gamingDays": None,
    "unjudged": [{"table": str, "record": int, "line": int, "released": bool}],
    "software": {"name": str, "version": str, "commit": str, "fold": None}, "warnings": list}
SCOPE = ["kind", "table", "shoe", "finding", "day", "from", "to"]
