"""Reads the files of a Shoeprint evidence package: the zip or folder, texts, and JSON.

Everything has one form (docs/evidence.md, docs/decisions/0035). What has another form is a fault.
"""
import contextlib, datetime, hashlib, io, json, os, re, stat, struct, zipfile, zlib
from base64 import b64decode
from types import SimpleNamespace
from urllib.parse import quote

MiB, LAST = 2 ** 20, 2 ** 53
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
DAY, HASH, PROOF, T = f'"{DATE}"', f'"{H}"', [f'"{H}"'], r'"(?:[^"\\]|\\u.{4}|\\[^u]){0,100}"'
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
        "format": '"shoeprint package v1"', "id": '"[A-Za-z0-9._~-]+"', "origin": S, "size": N,
        "scope": {"kind": '"(?:shoe|finding|table|day)"', "table?": S, "shoe?": S, "finding?": S,
                  "day?": DAY, "from?": DAY, "to?": DAY},
        "range": {"after": f"(?:null|{N})", "to": N}, "all": FLAG,
        "tables": [{"table": S, "name": S, "number": N, "first": N, "records": N, "events": N,
                    "shoes": [S]}],
        "rules": [{"id": '"(?:policies/)?[a-z0-9-]+@[0-9]+"', "sha256": '"[0-9a-f]{64}"'}],
        "gamingDays": [{"from": DAY, "zone": T, "cutover": '"[0-2][0-9]:[0-5][0-9]"'}],
        "unjudged": [{"table": S, "record": N, "line": N, "released": FLAG}],
        "software": {"name": T, "version": T, "commit": T, "fold": N}, "warnings": [S]},
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
        return named({k: whole(v) if k in NUMBERS else v for k, v in match.groupdict().items()})
    plain = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    require(plain.encode(errors="backslashreplace") == text.encode(),  # "\ud800" stays
            f"{what} is not written as JSON.stringify writes it")
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
    require(len(data) <= 10 ** 6 and lines.pop() == "" and 1 <= len(lines) <= 64 and
            not re.search(rb"[\0-\x09\x0b-\x1f]", data), "this is not a note of 1 to 64 signatures")
    note.text, note.signatures = text + "\n", {}
    for line in [read("signature", line) for line in lines]:
        require(len(line.signature) > 4, "a signature is too short")
        note.signatures.setdefault((line.name, line.signature[:4]), line.signature[4:])
    return note

def read_seal(text):
    seal = read("seal", text)
    datetime.datetime.strptime(seal.time, "%Y-%m-%dT%H:%M:%S")
    datetime.date.fromisoformat(seal.day or seal.time[:10])
    seal.next = [whole(offset) for offset in seal.next.split(" ")]
    return seal

def name_line(name):
    """Returns the line of a table in the list of names."""
    return quote(name, safe="").encode() + b"\n"

# --- The files of a package: a zip or a folder
class ShortReads(io.FileIO):
    """A file that refuses to read a zip directory that would take too much memory."""
    def read(self, size=-1):
        require(size <= 8 * MiB, "the zip's directory has more than 8 MiB")
        return super().read(size)

class Inflated(io.RawIOBase):
    """A deflated entry, whose data has to have an end: zipfile looks only at what comes out."""
    def __init__(self, path, begin, entry):
        self.file, self.unpacker = open(path, "rb"), zlib.decompressobj(-15)
        self.file.seek(begin)
        self.entry, self.left, self.size, self.crc = entry, entry.compress_size, 0, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.unpacker.decompress(self.unpacker.unconsumed_tail, len(buffer))
        while not data and not self.unpacker.eof:
            packed = self.file.read(min(self.left, MiB // 4))
            data = self.unpacker.decompress(packed, len(buffer))
            self.left -= len(packed)
            require(packed, "the deflated data has no end")
        self.size, self.crc = self.size + len(data), zlib.crc32(data, self.crc)
        require(self.size <= self.entry.file_size and (data or (self.size, self.crc) ==
                (self.entry.file_size, self.entry.CRC)), "it has another length or checksum")
        buffer[:len(data)] = data
        return len(data)

    def close(self):
        self.file.close()
        super().close()

class Source:
    """The files of a package: `files` has their sizes."""
    def __init__(self, path):
        self.files, self.path, self.folder, self.zip, self.begins = {}, path, None, None, {}
        if not os.path.isdir(path):
            self.list_zip(ShortReads(path))
        for folder, folders, names in os.walk(path):
            for name in [os.path.join(folder, name) for name in folders + names]:
                status = os.lstat(name)
                self.add(os.path.relpath(name, path), status.st_mode, status.st_size)

    def list_zip(self, file):
        self.zip, end = zipfile.ZipFile(file), 0
        file.seek(-22 - len(self.zip.comment), io.SEEK_END)
        mark, disks, here, count, after = struct.unpack("<4sI2H8xH", file.read(22))
        require((mark, after) == (b"PK\5\6", len(self.zip.comment)) and (count == 0xffff or disks ==
                0 and here == count == len(self.zip.infolist())), "the end of the zip is wrong")
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
                    entry.file_size <= max(16 * MiB, 200 * entry.compress_size),
                    f"{name} overlaps another entry, is in another folder, or is a bomb")
            self.begins[name] = begin + 30 + name_size + more
            self.folder, end = folder, self.begins[name] + entry.compress_size
            self.add(name, entry.external_attr >> 16, entry.file_size)
        require(self.folder and end <= self.zip.start_dir, "the entries overlap the directory")
        at, end = self.zip.start_dir, file.seek(0, io.SEEK_END) - 22 - len(self.zip.comment)
        for _ in self.zip.infolist():
            file.seek(at)
            at += 46 + sum(struct.unpack("<28x3H12x", file.read(46)))
        require(at in (end, end - 76), "the directory does not end where the zip says")

    def add(self, name, mode, size):
        path, kind = name.rstrip("/"), stat.S_IFMT(mode)
        require(len(self.files) < 262_144 and kind in (0, stat.S_IFREG, stat.S_IFDIR),
                f"{path} is a link or a device, or there are over 262,144 files")
        whole = f"{self.folder or 'package'}/{path}"
        require((name == path != "" or size == 0) and (
            not name or name not in self.files and
            not re.search(r"[\\:\0-\x1f\x7f-\x9f\ud800-\udfff]|.{1025}", whole) and
            not {"", ".", ".."} & {self.folder, *path.split("/")}),
                f"{path[:99]} is there twice, or not a safe name")
        if name == path != "" and kind != stat.S_IFDIR:
            self.files[name] = size

    def open(self, name):
        require(name in self.files, "the file is not there", "incomplete", file=name)
        if not self.zip:
            return open(os.path.join(self.path, name), "rb")
        entry = self.zip.getinfo(f"{self.folder}/{name}")
        file = Inflated(self.path, self.begins[name], entry) if entry.compress_type else None
        return io.BufferedReader(file or self.zip.open(entry), MiB // 4)

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
