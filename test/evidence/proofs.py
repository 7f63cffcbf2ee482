"""Ed25519 signatures and the proofs of Merkle trees, as the RFCs define them."""
import functools, hashlib

from package_reading import require

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
