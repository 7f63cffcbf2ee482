import type { SeatAccount } from '../state.js';

/** The kids of a node: 2^4. Seats are whole numbers, so a seat's digits lead to its account. */
const BASE = 16;

/** A node of the tree. Its kids are nodes, and on the lowest level accounts. */
interface Node<Kid> {
  /** The ledger that may change it. */
  readonly owner: object;
  readonly kids: (Kid | undefined)[];
}
type Leaf = Node<SeatAccount>;
type Inner = Node<Inner | Leaf>;
type Entry = readonly [seat: number, account: Readonly<SeatAccount>];

/**
 * The accounts of a shoe by seat, in ascending order. A copy costs nothing: it shares with its
 * original what neither has changed since. A shoe keeps one for each coup, and its senders choose
 * how many seats and coups it has.
 */
export class SeatLedger implements Iterable<Entry> {
  private owner: object = {};
  private root: Inner | Leaf | undefined;
  /** How many digits of a seat the tree has, beside the last one. */
  private height = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  has(seat: number): boolean {
    return this.get(seat) !== undefined;
  }

  /** Returns the account of a seat, to read only. */
  get(seat: number): Readonly<SeatAccount> | undefined {
    // most tables have fewer seats than a leaf
    if (this.height === 0)
      return seat < BASE ? (this.root as Leaf | undefined)?.kids[seat] : undefined;
    let node = this.covers(seat) ? this.root : undefined;
    for (let level = this.height; level > 0 && node; level -= 1)
      node = (node as Inner).kids[digitOf(seat, level)];
    return (node as Leaf | undefined)?.kids[digitOf(seat, 0)];
  }

  /** Returns the account of a seat, to change. A new one is empty. */
  own(seat: number): SeatAccount {
    const { root, owner, height } = this;
    const own = height === 0 && root?.owner === owner ? (root as Leaf).kids[seat] : undefined;
    if (own) return own;
    const { kids } = this.leafOf(seat);
    const known = kids[digitOf(seat, 0)];
    if (known) return known;
    this.count += 1;
    return (kids[digitOf(seat, 0)] = { due: 0, taken: 0, marked: 0, collected: 0, waived: 0 });
  }

  delete(seat: number): void {
    if (!this.has(seat)) return;
    this.count -= 1;
    this.leafOf(seat).kids[digitOf(seat, 0)] = undefined;
  }

  /** Returns a ledger with the same accounts. Neither sees what the other changes from now on. */
  copy(): SeatLedger {
    const copy = new SeatLedger();
    this.owner = {};
    copy.root = this.root;
    copy.height = this.height;
    copy.count = this.count;
    return copy;
  }

  /** Returns whether another ledger has the same seats with the same amounts. */
  isSame(other: SeatLedger): boolean {
    if (this.count !== other.count) return false;
    if (this.height === other.height) return isSameTree(this.root, other.root, this.height);
    for (const [seat, account] of this) if (!isSameAccount(account, other.get(seat))) return false;
    return true;
  }

  /** Returns the seats in ascending order. */
  keys(): number[] {
    return this.entries().map(([seat]) => seat);
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries()[Symbol.iterator]();
  }

  private entries(): Entry[] {
    const entries: Entry[] = [];
    if (this.root) addAccounts(entries, this.root, this.height, 0);
    return entries;
  }

  private covers(seat: number): boolean {
    return seat < BASE ** (this.height + 1);
  }

  /** Returns the leaf of a seat. The way to it is this ledger's own afterwards. */
  private leafOf(seat: number): Leaf {
    while (!this.covers(seat)) {
      if (this.root) this.root = { owner: this.owner, kids: [this.root] };
      this.height += 1;
    }
    let node = (this.root = this.owned(this.root, this.height));
    for (let level = this.height; level > 0; level -= 1) {
      const { kids } = node as Inner;
      const digit = digitOf(seat, level);
      node = kids[digit] = this.owned(kids[digit], level - 1);
    }
    return node as Leaf;
  }

  private owned(node: Inner | Leaf | undefined, level: number): Inner | Leaf {
    const { owner } = this;
    if (!node) return { owner, kids: [] };
    if (node.owner === owner) return node;
    if (level > 0) return { owner, kids: [...(node as Inner).kids] };
    const kids: Leaf['kids'] = [];
    for (const account of (node as Leaf).kids) kids.push(account && copyOf(account));
    return { owner, kids };
  }
}

const copyOf = ({ due, taken, marked, collected, waived }: SeatAccount): SeatAccount => ({
  due,
  taken,
  marked,
  collected,
  waived,
});

const digitOf = (seat: number, level: number): number => Math.floor(seat / BASE ** level) % BASE;

function addAccounts(
  entries: Entry[],
  { kids }: Inner | Leaf,
  level: number,
  before: number,
): void {
  for (let digit = 0; digit < kids.length; digit += 1) {
    const kid = kids[digit];
    if (!kid) continue;
    const number = before * BASE + digit;
    if (level === 0) entries.push([number, kid as SeatAccount]);
    else addAccounts(entries, kid as Inner | Leaf, level - 1, number);
  }
}

/** Returns whether two trees of one height have the same accounts. */
function isSameTree(
  a: Inner | Leaf | undefined,
  b: Inner | Leaf | undefined,
  level: number,
): boolean {
  if (a === b) return true;
  const digits = Math.max(a?.kids.length ?? 0, b?.kids.length ?? 0);
  for (let digit = 0; digit < digits; digit += 1) {
    const [one, other] = [a?.kids[digit], b?.kids[digit]];
    const isSame =
      level === 0
        ? isSameAccount(one as SeatAccount | undefined, other as SeatAccount | undefined)
        : isSameTree(one as Inner | Leaf | undefined, other as Inner | Leaf | undefined, level - 1);
    if (!isSame) return false;
  }
  return true;
}

const isSameAccount = (
  a: Readonly<SeatAccount> | undefined,
  b: Readonly<SeatAccount> | undefined,
): boolean => a === b || (a !== undefined && b !== undefined && hasSameAmounts(a, b));

const hasSameAmounts = (a: Readonly<SeatAccount>, b: Readonly<SeatAccount>): boolean =>
  a.due === b.due &&
  a.taken === b.taken &&
  a.marked === b.marked &&
  a.collected === b.collected &&
  a.waived === b.waived;
