#!/usr/bin/env python3
"""Verifies a Shoeprint evidence package: steps 1 to 6 of docs/evidence.md.

The second implementation, from the words of that page and of docs/decisions/0035 and not from the
code of `shoeprint verify`. It needs Python 3.9, writes no file and opens no connection.
"""
import argparse, collections, contextlib, datetime, hashlib, io, itertools, json, operator, os
import re, stat, struct, sys, zipfile, zlib
from base64 import b64decode, b64encode
from types import SimpleNamespace
from urllib.parse import quote, unquote_to_bytes

MiB, LAST, EXITS = 2 ** 20, 2 ** 53, {"INTACT": 0, "ALTERED": 1, "INCOMPLETE": 2, "UNREADABLE": 3}
# What the standard library raises for bytes that are not of a format.
DAMAGE = (OSError, EOFError, ValueError, OverflowError, RuntimeError, NotImplementedError,
          struct.error, zlib.error, zipfile.BadZipFile)
MANIFESTS = ("tagmanifest-sha256.txt", "manifest-sha256.txt")  # the second is that of data/
ABOUT, CHECKPOINT, NAMES = "data/package.json", "data/site/checkpoint", "data/site/names"
LEAVES, SITE_PROOF = "data/site/leaves.ndjson", "data/site/proof.json"
SINCE = "data/site/since.json"

# --- Formats: each has one pattern
def fields(**forms):
    """Returns the pattern of an object with these fields. One that can be absent ends with `_`."""
    parts = [f',"{name.rstrip("_")}":{form}' for name, form in forms.items()]
    return r"\{" + "".join(f"(?:{part})?" if name.endswith("_") else part for name, part in
                           zip(forms, [parts[0][1:], *parts[1:]])) + r"\}"

def many(form):
    return rf"\[(?:{form}(?:,{form})*)?\]"

N, S, DATE = "(?:0|[1-9][0-9]{0,15})", r'"[^"\\]*(?:\\.[^"\\]*)*"', "[0-9]{4}-[0-9]{2}-[0-9]{2}"
H, BASE64 = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=", "[A-Za-z0-9+/]+=*"
FLAG, DAY, HASH, VKEY = "(?:true|false)", f'"{DATE}"', f'"{H}"', rf"[^\s+]+\+\w{{8}}\+{BASE64}"
PROOF = rf"\[(?:{HASH}(?:,{HASH}){{0,63}})?\]"
GROWN = {"size": N, "root": HASH, "path": PROOF, "consistency": PROOF}
PROVEN = fields(index=N, text=S, proof=PROOF)
FORMATS = {
    "leaf": fields(index=N, text=S), "record": fields(n=N, value=S, proof=PROOF),
    "head": fields(seal=N, size=N, root=HASH, path_=PROOF),
    SITE_PROOF: fields(
        frontier=PROOF, consistency=many(fields(**{"from": N, "proof": PROOF})),
        keys=many(PROVEN), latest=PROVEN),
    "proof.json": fields(frontier=PROOF, before=PROOF, rest=PROOF, latest=fields(**GROWN)),
    SINCE: many(fields(size=N, seal=PROVEN, tables=many(fields(number=N, **GROWN)))),
    ABOUT: fields(
        format='"shoeprint package v1"', id=S, origin=S, size=N, scope=fields(
            kind='"(?:shoe|finding|table|day)"', table_=S, shoe_=S, finding_=S, day_=DAY, from_=DAY,
            to_=DAY), range=fields(after=f"(?:null|{N})", to=N), all=FLAG, tables=many(fields(
                table=S, name=S, number=N, first=N, records=N, events=N, shoes=many(S))),
        rules=many(fields(id='"(?:policies/)?[a-z0-9-]+@[0-9]+"', sha256='"[0-9a-f]{64}"')),
        gamingDays=many(fields(**{"from": DAY, "zone": S, "cutover": '"[0-2][0-9]:[0-5][0-9]"'})),
        unjudged=many(fields(table=S, record=N, line=N, released=FLAG)),
        software=fields(name=S, version=S, commit=S, fold=N), warnings=many(S)),
    "key": rf"(?P<name>[^\s+]+)\+(?P<id>[0-9a-f]{{8}})\+(?P<public>{BASE64})",
    "line of signatures": rf"— (?P<name>[^\s+]+) (?P<signature>{BASE64})",
    "checkpoint": rf"(?P<origin>[^\n]+)\n(?P<size>{N})\n(?P<root>{H})\n",
    "key statement": rf"shoeprint keys v1\n(?P<origin>[^\n]+)\n(?P<number>{N})\n"
                     rf"previous (?P<previous>none|{N})\n(?P<adds>(?:add {VKEY}\n)*)"
                     rf"(?P<retires>(?:retire {VKEY}\n)*)(?P<revokes>(?:revoke {VKEY} {N}\n)*)",
    "seal": rf"shoeprint seal v1\n(?P<origin>[^\n]+)\n(?P<number>{N})\n"
            rf"time (?P<time>{DATE}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}})Z\n"
            rf"log (?P<log>[!-~]{{1,200}})\n"
            rf"next (?P<next>{N}(?: {N}){{0,1023}})\ntables (?P<tables>{N}) (?P<names>{H}) "
            rf"(?P<heads>{H})\nkeys (?P<keys>{N})\n(?:day (?P<day>{DATE})\n)?",
    "bag-info.txt": r"External-Identifier: (?P<id>[^\n]+)\n"
                    rf"Payload-Oxum: (?P<size>{N})\.(?P<n>{N})\n",
    "line of a manifest": r"(?P<sha>[0-9a-f]{64})  (?P<file>[^\n]+)",
    "row": rf"(?P<n>{N}),(?P<size>{N}),(?P<lines>{N}),(?P<partition>{N}),(?P<offset>{N}),"
           r"(?P<check>[0-9a-f]{8})"}
NUMBERS = {"size", "number", "tables", "keys", "n", "lines", "partition", "offset"}
HASHES = {"root", "names", "heads", "path", "proof", "consistency", "frontier", "before", "rest"}

class Fault(Exception):
    """What is wrong, its kind (altered, incomplete or unreadable), and where."""
    def __init__(self, message, kind="altered", **where):
        super().__init__(message)
        self.kind, self.where = kind, where

def require(holds, message, kind="altered", **where):
    if not holds:
        raise Fault(message, kind, **where)

def whole(digits):
    require(len(digits) < 17 and int(digits) < LAST, f"{digits[:20]} is not below 2^53")
    return int(digits)

def base64_bytes(text):
    data = b64decode(text, validate=True)
    require(b64encode(data).decode() == text, f'"{text[:99]}" is not base64')
    return data

def named(values):
    """Returns values as attributes, and hashes as bytes."""
    for name in HASHES & set(values):
        value = values[name]
        values[name] = b64decode(value) if isinstance(value, str) else [
            b64decode(each) if isinstance(each, str) else each for each in value]
    return SimpleNamespace(**values)

def read(what, text):
    """Reads a text or JSON that is in its one form, byte for byte."""
    match = re.fullmatch(FORMATS[what], text)
    require(match, f"{what} is not of its format")
    values = match.groupdict()
    if values:
        return named({name: whole(value) if name in NUMBERS else value
                      for name, value in values.items()})
    plain = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    require(plain == text, "this JSON is not written as JSON.stringify writes it")
    return json.loads(text, object_hook=named, parse_int=whole)

def check_lines(value, table, excused=()):
    """Checks that each line of a record is JSON that names the table. Returns their number."""
    texts = value.split(b"\n") if value else []
    for line, text in enumerate(texts, 1):
        try:
            event = json.loads(text.decode(), parse_int=float, parse_constant=int)
        except (ValueError, RecursionError):
            event = None
        require(line in excused or isinstance(event, dict) and event.get("table") == table,
                "the line does not name this table", line=line)
    return len(texts)

def read_key(vkey):
    key = read("key", vkey)
    public, key.vkey = base64_bytes(key.public), vkey
    digest = hashlib.sha256(key.name.encode() + b"\n" + public).hexdigest()
    require(len(public) == 33 and public[0] in (1, 4) and digest[:8] == key.id,
            f"{vkey} is not an Ed25519 key with its id")
    key.id, key.type, key.public = bytes.fromhex(key.id), public[0], public[1:]
    return key

def read_note(data):
    """Reads a C2SP signed note. `signed` checks its signatures, key by key."""
    text, _, lines = data.decode().rpartition("\n\n")
    *lines, end = lines.split("\n")
    require(len(data) <= MiB and text and end == "" and 1 <= len(lines) <= 64 and
            not re.search(r"[\0-\x09\x0b-\x1f]", text), "this is not a note of 1 to 64 signatures")
    signatures = {}
    for line in [read("line of signatures", line) for line in lines]:
        signature = base64_bytes(line.signature)
        require(len(signature) > 4, "a signature is too short")
        signatures.setdefault((line.name, signature[:4]), signature[4:])
    return SimpleNamespace(text=text + "\n", signatures=signatures)

def signed(note, key):
    """Returns whether the key signed the note. If its signature fails, the note is altered."""
    signature, message = note.signatures.get((key.name, key.id)), note.text.encode()
    if signature and key.type == 4:
        message = b"cosignature/v1\ntime %d\n" % int.from_bytes(signature[:8], "big") + message
        signature = signature[8:]
    require(signature is None or ed25519_verify(key.public, message, signature),
            f"the signature of {key.vkey} is wrong")
    return signature is not None

def read_checkpoint(data):
    note = read_note(data)
    return SimpleNamespace(note=note, **vars(read("checkpoint", note.text)))

def read_seal(text):
    seal = read("seal", text)
    datetime.datetime.fromisoformat(seal.time)
    datetime.date.fromisoformat(seal.day or seal.time[:10])
    seal.next = [whole(offset) for offset in seal.next.split(" ")]
    return seal

def read_statement(text):
    """Reads a key statement: a note, and the keys that it adds, retires and revokes."""
    note = read_note(text.encode())
    each = read("key statement", note.text)
    each.note, each.entry = note, text
    each.adds = [read_key(line[4:]) for line in each.adds.splitlines()]
    each.retires = [line[7:] for line in each.retires.splitlines()]
    each.revokes = [line.split(" ")[1:] for line in each.revokes.splitlines()]
    require(all(key.name in (each.origin, each.origin + "/exports") and key.type == 1
                for key in each.adds), "it adds a key of another log")
    return each

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
    while scalar:
        total = add_points(total, point) if scalar & 1 else total
        point, scalar = add_points(point, point), scalar >> 1
    return total

def decode_point(data):
    """Returns the point that 32 bytes encode, or None, section 5.1.3."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * SQRT_MINUS_1 % P
    is_point = y < P and (x * x - square) % P == 0 and (x or not sign)
    return (x if x & 1 == sign else P - x, y) if is_point else None

BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def ed25519_verify(public, message, signature):
    a, r, s = decode_point(public), decode_point(signature[:32]), signature[32:]
    s = int.from_bytes(s, "little")
    if len(signature) != 64 or a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    return multiply(s, BASE) == add_points(r, multiply(h, a))

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
        digest = self.hashes[-1] if self.hashes else hashlib.sha256().digest()
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

class Keyring:
    """The keys that the statements add, and the sizes of the log that each may sign: from `since`
    on, below `until` and below `revoked`. A statement at index i is in logs of size i + 1, and
    needs a key that may sign that size. Revocations reach back, so `settle` reads them again."""
    def __init__(self, origin, statements):
        self.statements, wanted = statements, []
        self.keys = [key for each in statements for key in each.adds]
        self.logs = {key.vkey: key for key in self.keys if key.name == origin}
        require(len({key.vkey for key in self.keys}) == len(self.keys), "a key is added twice")
        require(sum(len(each.note.signatures) for each in statements) < 999, "too many signatures")
        require(statements, "the key statements are missing")
        for each in statements:
            each.signers = {vkey for vkey, key in self.logs.items() if signed(each.note, key)}
            each.added = {key.vkey for key in each.adds} & set(self.logs)
        self.safe = set([key.vkey for key in statements[0].adds if key.vkey in self.logs][1:2])
        for _ in range(len(statements) + 2):
            revoking, wanted = wanted, self.settle(wanted)
            if revoking == wanted:
                return
        raise Fault("the revocations contradict each other")

    def settle(self, revoking):
        """Reads the statements as if these revocations held. Returns those that they make."""
        self.since, self.until, self.revoked, wanted = {}, {}, {}, []
        for vkey, size in revoking:
            self.revoked[vkey] = min(whole(size), self.revoked.get(vkey, LAST))
        for each in self.statements:
            valid = {vkey for vkey in each.signers if self.counts(vkey, each.number + 1)}
            named = {*each.retires, *(vkey for vkey, _ in each.revokes)}
            each.grounds = valid if each.number else each.added
            if not each.added <= each.signers or not named <= set(self.since):
                each.grounds = set()
            if each.grounds:
                self.since.update((key.vkey, each.number + 1) for key in each.adds)
                ended = set(self.since) - (self.safe - each.signers)
                self.until.update((vkey, each.number + 2) for vkey in each.retires if vkey in ended)
                wanted += [item for item in each.revokes if item[0] in ended]
        return wanted

    def counts(self, vkey, size):
        return self.since.get(vkey, LAST) <= size < min(
            self.until.get(vkey, LAST), self.revoked.get(vkey, LAST))

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
            folder, _, name = entry.orig_filename.partition("/")
            require(self.folder in (None, folder), "a package has one folder")
            require(entry.compress_type in (0, 8) and not entry.flag_bits & 0x2061,
                    f"{name} is encrypted, or neither stored nor deflated")
            require(entry.file_size < max(16 * MiB, 200 * entry.compress_size), f"{name} is a bomb")
            begin = file.seek(entry.header_offset)
            mark, _, flags, method, _, _, crc, packed, size, *lengths = struct.unpack(
                "<4s5H3L2H", file.read(30))
            require((mark, flags, method) == (b"PK\3\4", entry.flag_bits, entry.compress_type) and (
                flags & 8 or 0xffffffff in (packed, size) or
                (crc, packed, size) == (entry.CRC, entry.compress_size, entry.file_size)),
                f"the local header of {name} contradicts the directory")
            self.zip.open(entry).close()  # the local header has the same name
            require(begin == 0 if end == 0 else begin >= end, f"{name} overlaps another entry")
            self.folder, end = folder, begin + 30 + sum(lengths) + entry.compress_size
            self.add(name, entry.external_attr >> 16, entry.file_size)
        require(self.folder and end <= self.zip.start_dir, "the entries overlap the directory")

    def add(self, name, mode, size):
        path = name.rstrip("/")
        require(len(self.files) < 100_000 and stat.S_IFMT(mode) in (0, stat.S_IFREG, stat.S_IFDIR),
                f"{path} is a link or a device, or there are over 100,000 files")
        require(not re.search(r"[\\\0-\x1f\ud800-\udfff]|^[A-Za-z]:|.{500}", path) and
                name not in self.files and not {"", ".", ".."} & {self.folder, *path.split("/")}
                or not name, f"{path[:99]} is there twice, or not a safe name")
        if name == path != "" and not stat.S_ISDIR(mode):
            self.files[name] = size

    def open(self, name):
        require(name in self.files, "the file is not there", "incomplete", file=name)
        return (io.BufferedReader(self.zip.open(f"{self.folder}/{name}"), MiB // 4) if self.zip
                else open(os.path.join(self.path, name), "rb"))

    def read(self, name, limit=16 * MiB):
        with self.open(name) as file:
            data = file.read(limit + 1)
        require(len(data) <= limit, f"the file has more than {limit} bytes", file=name)
        return data

    def lines(self, name, what=None):
        """Yields the lines of a file, or what they read as."""
        with self.open(name) as file:
            for line in iter(lambda: file.readline(8 * MiB), b""):
                require(line[-1:] == b"\n", "a line is too long, or has no end", file=name)
                yield read(what, line[:-1].decode()) if what else line[:-1]

class Verifier:
    """Runs the steps. A fault ends the part in which it is found; the other parts go on."""
    def __init__(self, key=None, trusted=(), witnesses=(), quorum=0):
        self.key, self.trusted, self.witnesses, self.quorum = key, [*trusted], witnesses, quorum
        self.faults, self.kinds, self.warnings = [], set(), []
        self.source = self.info = self.about = self.signer = self.last = None
        self.hashes, self.statements, self.roots, self.since = {}, {}, {}, {}
        self.day, self.named, self.name_hash = "", 0, hashlib.sha256()
        self.counts = dict.fromkeys(("tables", "records", "events", "seals", "faults"), 0)
        self.heads = collections.defaultdict(lambda: [Frontier(), 0])
        self.excused = collections.defaultdict(set)

    @contextlib.contextmanager
    def part(self, step, kind=None, **where):
        """Notes the fault that ends this part."""
        try:
            yield
        except (Fault, *DAMAGE) as error:
            fault = error if isinstance(error, Fault) else Fault(f"this cannot be read: {error}")
            self.counts["faults"] += 1
            self.kinds.add(kind or fault.kind)
            if len(self.faults) < 100:
                self.faults.append({"step": step, "kind": kind or fault.kind, **where,
                                    **fault.where, "message": str(fault)})

    def verdict(self):
        kinds = [kind for kind in ("unreadable", "altered", "incomplete") if kind in self.kinds]
        return kinds[0].upper() if kinds else "INTACT"

    def json(self, name):
        text = self.source.read(name).decode()
        require(text.endswith("\n"), "the file does not end with a line feed", file=name)
        return read(name if name in FORMATS else os.path.basename(name), text[:-1])

    def verify(self, path):
        with self.part(1, "unreadable"):
            self.source = Source(path)
        with self.part(1, file="bag-info.txt"):
            require(self.source, "there is nothing to read")
            self.check_payload()
            with self.part(1, "unreadable", file=ABOUT):
                self.about = self.json(ABOUT)
            self.check_files()
            if not self.about:
                return
            with self.part(3, file=SITE_PROOF):
                self.read_site()
                self.check_signatures()
                with self.part(4, file=SINCE):
                    self.read_since()
                with self.part(5, file=LEAVES):
                    self.check_seals()
                    self.check_tables()
                for name, held in self.trusted:
                    with self.part(4, file=name):
                        self.check_trusted(held)

    # Steps 1 and 2: the payload is not larger than Payload-Oxum, and every file is as hashed
    def check_payload(self):
        sizes = [size for name, size in self.source.files.items() if name.startswith("data/")]
        if "bag-info.txt" not in self.source.files:
            return
        self.info = read("bag-info.txt", self.source.read("bag-info.txt", MiB).decode())
        require(sum(sizes) <= self.info.size and len(sizes) <= self.info.n,
                "reading stops: the payload is larger than Payload-Oxum says", file="bag-info.txt")
        self.has_shrunk = (sum(sizes), len(sizes)) != (self.info.size, self.info.n)

    def check_files(self):
        files, listed = self.source.files, {}
        for manifest in MANIFESTS:
            with self.part(2, file=manifest):
                for line in self.source.lines(manifest, "line of a manifest"):
                    require(line.file not in listed and
                            manifest == MANIFESTS[line.file.startswith("data/")],
                            f"{line.file} is listed twice, or in the wrong manifest")
                    listed[line.file] = line.sha
        for name in sorted({*files, *listed, "bag-info.txt", "receipt", *MANIFESTS}):
            with self.part(2, file=name), self.source.open(name) as file:
                digest = hashlib.sha256()
                for chunk in iter(lambda: file.read(MiB // 4), b""):
                    digest.update(chunk)
                self.hashes[name] = digest.hexdigest()
                require(name in (*listed, "receipt", MANIFESTS[0]) or
                        MANIFESTS[name.startswith("data/")] not in files,
                        "no manifest lists the file")
                require(listed.get(name, self.hashes[name]) == self.hashes[name],
                        "the file is not as hashed in the manifest")
        with self.part(2, file="bag-info.txt"):
            names = {self.source.folder, self.info and self.info.id} - {None}
            require(not self.info or not self.has_shrunk or not set(listed) <= set(files),
                    "the payload is smaller than Payload-Oxum says")
            require(not self.about or names <= {self.about.id}, "package.json has another id")

    # Step 3: signatures
    def included(self, entry):
        """Checks that a leaf is in the log. Returns the root of the log that ends with it."""
        root, first = climb(entry.index, self.tip[0], leaf_hash(entry.text.encode()), entry.proof)
        require(root == self.tip[1], f"leaf {entry.index} is not proven to be in the log")
        return first

    def read_site(self):
        self.point = read_checkpoint(self.source.read(CHECKPOINT))
        self.site, self.tip = self.json(SITE_PROOF), (self.point.size, self.point.root)
        self.grown = {vars(entry)["from"]: entry.proof for entry in self.site.consistency}
        self.roots[self.point.size], before = self.point.root, "none"
        for entry in self.site.keys:
            self.included(entry)
            each = self.statements[entry.index] = read_statement(entry.text)
            require((each.origin, each.number, each.previous) ==
                    (self.about.origin, entry.index, before) and (entry.index == 0) ==
                    (before == "none"), f"statement {entry.index} does not follow {before}")
            before = str(entry.index)
        self.included(self.site.latest)
        self.latest = read_seal(self.site.latest.text)
        require(self.latest.number + 1 == self.tip[0], "the last leaf is not the latest seal")
        self.ring = Keyring(self.about.origin, list(self.statements.values()))

    def check_signatures(self):
        about, point, ring = self.about, self.point, self.ring
        for each in [each for each in ring.statements if not each.grounds]:
            with self.part(3, file=SITE_PROOF):
                require(any(ring.revoked.get(vkey, LAST) <= each.number + 1 for vkey in
                            each.signers), f"no key in force signed key statement {each.number}")
                self.warnings.append(f"a revoked key signed key statement {each.number}")
        with self.part(2, file="receipt"):
            note, tags = read_note(self.source.read("receipt")), self.hashes.get(MANIFESTS[0])
            require(note.text == f"shoeprint package v1\n{about.origin}\n{about.id}\n{tags}\n"
                    or not tags, "it is the receipt of another package")
            require(ring.signers(note, point.size, about.origin + "/exports"),
                    "no exports key in force signed it")
        with self.part(3, file=CHECKPOINT):
            witnessed = [key.name for key in self.witnesses if signed(point.note, key)]
            require(len(witnessed) >= self.quorum, f"{len(witnessed)} of the witnesses that you "
                    f"named signed it, and {self.quorum} have to", "incomplete")
        with self.part(3, file=CHECKPOINT):
            require((about.origin, about.size) == (point.origin, point.size),
                    "it is not that of package.json")
            signers = ring.signers(point.note, point.size, about.origin)
            require(signers, "no log key in force at its size signed it")
            self.check_trust(signers)

    def check_trust(self, signers):
        """Trust goes from what the reader holds, over key statements, to the checkpoint."""
        known = {self.key.vkey} if self.key else set()
        for name, held in self.trusted:
            with self.part(4, file=name):
                old = self.ring.signers(held.note, held.size, held.origin)
                require(old, "no log key of this package signed the checkpoint that you hold")
                known |= old
        for each in self.ring.statements:
            known |= each.added if each.grounds & known else set()
        self.signer = min(signers & known or signers)
        require(signers & known or not known,
                f"{self.signer} signed it, for which the key that you gave does not vouch")
        require(known, "who signed it is not known to you: ask the house by another way whether "
                f"its key is {self.signer}", "incomplete")

    # Step 4: history
    def read_since(self):
        for entry in sorted(self.json(SINCE), key=lambda entry: entry.size):
            require(entry.seal.index + 1 == entry.size, f"leaf {entry.size - 1} is not its seal")
            root = self.roots[entry.size] = self.included(entry.seal)
            check_consistent("the site log", (entry.size, root), self.tip,
                             self.grown.get(entry.size, []))
            heads = {head.number: head for head in entry.tables}
            require(len(heads) == len(entry.tables) and set(heads) <=
                    {table.number for table in self.about.tables}, f"size {entry.size} has a table "
                    "twice, or one that is not in the package")
            self.since[entry.size] = read_seal(entry.seal.text), heads
        require(sorted(vars(entry)["from"] for entry in self.site.consistency) == sorted(
            {self.about.range.to + 1, *self.since}), "a consistency proof is too many or missing")

    def check_trusted(self, held):
        size, root, after = held.size, self.roots.get(held.size), self.about.range.after
        ask = f"the package has no proof from size {size}: ask for an export with --since"
        require(held.origin == self.about.origin, f"it is one of {held.origin}")
        require(root, ask, "incomplete")
        require(root == held.root, f"history was rewritten: the first {size} leaves are others "
                "than in the checkpoint that you hold")
        seal, heads = self.since.get(size, (self.latest, {}))
        for table in self.about.tables:
            require((after or 0) < size <= self.about.range.to + 1 or size == self.tip[0] or
                    table.number >= seal.tables or table.number in heads, ask, "incomplete",
                    table=table.table)

    # Step 5: seals
    def seals(self):
        """Yields the leaves of the range, each with its seal if it is not a key statement."""
        index, seal = self.about.range.after or 0, None
        for leaf in self.source.lines(LEAVES, "leaf"):
            require(leaf.index == index <= self.about.range.to, f"leaf {index} is not next")
            known = self.statements.get(index)
            require(not known or leaf.text == known.entry and index != self.about.range.after,
                    "this leaf has to be a seal, or the proven key statement", seal=index)
            seal = None if known else read_seal(leaf.text)
            yield leaf, seal
            index += 1
        require(index == self.about.range.to + 1 and seal, "the range does not end with its seal")

    def check_seals(self):
        start, end = self.about.range.after or 0, self.about.range.to + 1
        self.read_names()
        tree, sizes = Frontier(start, self.site.frontier), {held.size for _, held in self.trusted}
        for size in [size for size in self.since if size <= start]:
            self.follow(self.since[size][0], size - 1)
        for leaf, seal in self.seals():
            tree.push(leaf_hash(leaf.text.encode()))
            if tree.size in {*sizes, *self.roots}:
                require(self.roots.setdefault(tree.size, tree.root()) == tree.root(),
                        f"the first {tree.size} leaves are not the proven ones", seal=leaf.index)
            if seal:
                self.follow(seal, leaf.index, leaf.index > start or start == 0)
                self.counts["seals"] += 1
        check_consistent("the site log", (end, tree.root()), self.tip, self.grown.get(end, []))
        for size in [size for size in self.since if size > end]:
            self.follow(self.since[size][0], size - 1)
        self.follow(self.latest, self.latest.number)
        require(self.named == len(self.names), "it has more names", file=NAMES)

    def read_names(self):
        lines = self.source.read(NAMES).split(b"\n")
        self.names = [unquote_to_bytes(line) for line in lines[:-1]]
        require(lines[-1] == b"" and len(set(lines)) == len(lines) < 100_000 and lines[:-1] ==
                [quote(name, safe="").encode() for name in self.names],
                "a name is there twice, or has another form", file=NAMES)

    def follow(self, seal, index, is_next=False):
        """Checks that a seal goes on from the last one. `is_next`: none lies between."""
        last, self.last, fresh = self.last or seal, seal, self.names[self.named:seal.tables]
        self.name_hash.update(b"".join(quote(name, safe="").encode() + b"\n" for name in fresh))
        keys = max([number for number in self.statements if number < index], default=None)
        falls = len(seal.next) != len(last.next) or any(map(operator.lt, seal.next, last.next))
        for holds, message in (
                (seal.origin == self.about.origin, "the seal is of another site"),
                (seal.number == index, "the seal has another number than its leaf"),
                (seal.keys == keys, f"the seal does not name key statement {keys}"),
                (seal.time >= last.time, f"the seal's time goes back from {last.time}"),
                (seal.log == last.log, f"the seal is of another log than {last.log}"),
                (not falls, "`next` falls, or has other partitions"),
                (last.tables <= seal.tables <= len(self.names), "the number of tables falls"),
                (self.name_hash.digest() == seal.names, "the seal has other names"),
                (not is_next or fresh == sorted(fresh), "the new names are out of order"),
                (seal.number == last.number or not seal.day or seal.day > self.day,
                 f"the seal's day is not later than {self.day}")):
            with self.part(5, file=LEAVES, seal=index):
                require(holds, message)
        self.day, self.named = seal.day or self.day, max(self.named, seal.tables)

    # Step 6: records
    def check_tables(self):
        numbers, faults = [table.number for table in self.about.tables], self.counts["faults"]
        with self.part(6, file=ABOUT):
            require(numbers == sorted(set(numbers)), "`tables` has a number twice or out of order")
        for each in self.about.unjudged:
            self.excused[each.table, each.record].add(each.line)
        for table in self.about.tables:
            self.counts["tables"] += 1
            with self.part(6, table=table.table):
                self.check_table(table)
        if self.about.all and self.counts["faults"] == faults:
            self.check_heads()

    def check_table(self, table):
        folder, last, early = f"data/tables/{table.number}/", (0, Frontier().root()), None
        what, end, to = f"table {table.name}", table.first + table.records, self.about.range.to
        require(table.name == quote(table.table, safe="") and [table.table.encode()] ==
                self.names[table.number:][:1], f"this is not table {table.number}", file=ABOUT)
        proof, low = self.json(folder + "proof.json"), []
        tree, records = Frontier(table.first, proof.frontier), self.records(table, folder)
        heads_file = folder + "heads.ndjson"
        heads = self.source.lines(heads_file, "head")
        for leaf, seal in self.seals():
            if seal and table.number < seal.tables:
                head, here = next(heads, None), {"file": heads_file, "seal": leaf.index}
                require(head and head.seal == leaf.index and head.size >= max(last[0], 1),
                        "the head is missing, or smaller than the one before", **here)
                with self.part(6, table=table.table, **here):
                    self.check_head(table, seal, head)
                last = head.size, head.root
                require(head.size >= table.first or leaf.index == self.about.range.after,
                        "the range begins after this seal", **here)
                early = early if head.size >= table.first else last
                start = tree.size
                for row, digest in itertools.islice(records, max(0, min(last[0], end) - start)):
                    tree.push(digest)
                    part, lows = row.partition, low or [0] * len(seal.next)
                    require(part < len(lows) and lows[part] <= row.offset < seal.next[part],
                            "the offset is outside the reach of the seal", **here, record=row.n)
                if leaf.index == to and early != last:
                    tree.complete(head.size, proof.rest)
                require((tree.size, tree.root()) == last or early == last, f"between records "
                        f"{start} and {last[0] - 1}: they are not the ones that are sealed", **here,
                        record=start)
            low = seal.next if seal else low
        require(next(heads, None) is None and next(records, None) is None and last[0] >= end,
                "there are heads after the last seal, or records that no seal holds")
        check_consistent(what, early or last, last, proof.before)
        latest = self.check_head(table, self.latest, proof.latest)
        check_consistent(what, last, latest, proof.latest.consistency)
        for seal, head in [(seal, heads.get(table.number)) for seal, heads in self.since.values()]:
            with self.part(4, table=table.table, file=SINCE, seal=seal.number):
                if head:
                    check_consistent(what, self.check_head(table, seal, head), latest,
                                     head.consistency)
        for file, (size, root), low, high in (("context.ndjson", last, 0, table.first),
                                              ("later.ndjson", latest, end, latest[0])):
            with self.part(6, table=table.table, file=folder + file):
                for record in self.source.lines(folder + file, "record"):
                    value = record.value.encode()
                    require(low <= record.n < high and root == climb(
                        record.n, size, leaf_hash(value), record.proof)[0],
                        "the record is not one that is sealed and due here", record=record.n)
                    check_lines(value, table.table, self.excused[table.table, record.n])
                    low = record.n + 1

    def check_head(self, table, seal, head):
        """Checks that a head is in its seal: by its path, or later with those of all tables."""
        root = b64encode(head.root).decode()
        leaf = leaf_hash(f"{self.about.origin}/table/{table.name}\n{head.size}\n{root}\n".encode())
        path = vars(head).get("path")
        if hasattr(head, "seal") and self.about.all:
            require(path is None, "the head has a path, though all tables are here")
            self.heads[head.seal][0].push(leaf)
            self.heads[head.seal][1] += head.size
        else:
            require(path is not None and head.size > 0, "the head has no path, or size 0")
            require(climb(table.number, seal.tables, leaf, path)[0] == seal.heads,
                    "the head of the table is not in the seal's heads root")
        return head.size, head.root

    def check_heads(self):
        """Where all tables are here: their heads are those of each seal, and all that it has."""
        for leaf, seal in self.seals():
            tree, records = self.heads[leaf.index]
            with self.part(6, file=LEAVES, seal=leaf.index):
                require(not seal or (tree.size, tree.root(), records) ==
                        (seal.tables, seal.heads, sum(seal.next)),
                        "the heads of all tables, or the sum of `next`, are not those of the seal")

    def records(self, table, folder):
        """Yields the row and the leaf of each record, and checks its lines."""
        rows, events, last = self.source.lines(folder + "records.csv"), 0, None
        require(next(rows, b"") == b"n,bytes,lines,partition,offset,check", "it has other columns",
                file=folder + "records.csv")
        with self.source.open(folder + "events.ndjson") as file:
            for n in range(table.first, table.first + table.records):
                row = read("row", next(rows, b"").decode())
                here = {"record": n, "partition": row.partition, "offset": row.offset,
                        "file": folder + "events.ndjson"}
                require(row.n == n and row.size <= MiB and (not last or row.offset > last.offset
                        and row.partition == last.partition), "its row is not the next", **here)
                value, last = file.read(row.size), row
                leaf = leaf_hash(value)
                require(len(value) == row.size and file.read(1) == b"\n" and
                        leaf.hex()[:8] == row.check, "records.csv has others", **here)
                with self.part(6, table=table.table, **here):
                    lines = check_lines(value, table.table, self.excused[table.table, n])
                    require(lines == row.lines, f"the record has {lines} lines")
                events += row.lines
                self.counts["records"] += 1
                self.counts["events"] += row.lines
                yield row, leaf
            require(file.read(1) == b"" and next(rows, None) is None and events == table.events,
                    "there are more records, or other events than package.json says")

def take_trust(verifier, options):
    """Reads what the reader trusts."""
    if options.key and os.path.exists(options.key):
        with open(options.key, encoding="utf-8") as file:
            options.key = file.read(MiB).strip()
    verifier.key = read_key(options.key) if options.key else None
    for name in options.trusted:
        with open(name, "rb") as file:
            verifier.trusted += [(name, read_checkpoint(file.read(MiB + 1)))]
    verifier.witnesses = [read_key(vkey) for vkey in options.witness]
    named = len({key.vkey for key in verifier.witnesses if key.type == 4})
    verifier.quorum = named if options.quorum is None else options.quorum
    require(not verifier.key or verifier.key.type == 1, "--key is not the key of a log")
    require(named == len(verifier.witnesses) and 0 <= verifier.quorum <= named,
            "--quorum is at most the number of --witness, each a key of its own")

def main(arguments):
    parser, verifier = argparse.ArgumentParser(description=__doc__.split("\n")[0]), Verifier()
    parser.error = lambda message: require(False, message)
    parser.add_argument("package", metavar="PACKAGE|FOLDER")
    parser.add_argument("--key", metavar="VKEY|FILE", help="the log key of the house")
    parser.add_argument("--trusted", metavar="CHECKPOINT", action="append", default=[])
    parser.add_argument("--witness", metavar="VKEY", action="append", default=[])
    parser.add_argument("--quorum", metavar="N", type=int, help="all, if it is not given")
    parser.add_argument("--json", action="store_true")
    options = argparse.Namespace(package="", json="--json" in arguments)
    with verifier.part(1, "unreadable"):
        parser.parse_args(arguments, options)
        take_trust(verifier, options)
        verifier.verify(options.package)
    counts = ", ".join(f"{count:,} {name}" for name, count in verifier.counts.items())
    warnings = [*(verifier.about.warnings if verifier.about else []), *verifier.warnings]
    lines = [f"{verifier.verdict()}  {verifier.about.id if verifier.about else options.package}: "
             f"{counts}", f"  signed by {verifier.signer}; steps 1 to 6 of 8 were checked"]
    lines += [f"  warning: {warning}" for warning in warnings]
    lines += [f"  {json.dumps(fault)}" for fault in verifier.faults]
    if options.json:
        lines = [json.dumps({"verdict": verifier.verdict(), "faults": verifier.faults, "warnings":
                             warnings, "counts": verifier.counts, "key": verifier.signer})]
    # Text from a package must not move the cursor of a terminal.
    print("\n".join("".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
                    for line in lines).encode("ascii", "backslashreplace").decode())
    return EXITS[verifier.verdict()]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
