import { digestOf, newLanes, takeText } from '../admission/digest.js';
import { canonicalData } from '../events/canonical.js';
import { referenceOf, type AnyEvent, type ReviewEvent } from '../events/events.js';
import type { Finding, Found } from '../findings/finding.js';
import { eventIn } from '../history/journal.js';
import type { RuleBook } from '../history/replay.js';
import type { Entry, Shoe, TableState } from '../state.js';
import { arbitrate } from './arbitrate.js';
import {
  clearDesk,
  PEOPLE_MAX,
  rememberAct,
  type Basis,
  type Item,
  type ReviewOutcome,
  type LastSeen,
  type Turned,
} from './desk.js';
import { evidenceOfReferences, isOfLedger, peopleOf, ShoeEvidence } from './evidence.js';
import type { Policy } from './policy.js';

/**
 * Keeps the desk of a table: decides about what people do with its findings, and follows what the
 * game does to them. Raises no finding and changes nothing else of the table.
 */
export class ReviewDesk {
  constructor(
    private readonly state: TableState,
    private readonly book: RuleBook,
  ) {}

  /**
   * Takes an act on a finding. It counts as read and admitted. One that was heard before is a
   * duplicate if its type and data are the same; else it is refused.
   */
  act(event: ReviewEvent): void {
    const { desk, admission } = this.state;
    const { counts } = admission;
    counts.read += 1;
    const reference = referenceOf(event);
    const digest = digestOfAct(event);
    const known = desk.acts.get(reference);
    if (known?.digest === digest) {
      counts.duplicates += 1;
      return;
    }
    if (known) {
      counts.equivocal += 1;
      return this.report(event, 'idempotency-key-reused');
    }
    counts.admitted += 1;
    const item = desk.items.get(event.data.finding);
    const { outcome, change } = arbitrate(item, event, {
      policy: (ref) => this.policy(ref),
      people: () => (item ? this.peopleOf(item) : []),
      isCoupOpen: item !== undefined && this.isCoupOpen(item),
    });
    rememberAct(desk, reference, { digest, outcome });
    if (item && outcome === 'taken') {
      this.set(item, change);
      if (change.sought === true && item.evidence === null) this.seek(item.id);
    }
    this.report(event, outcome);
  }

  /** Follows what the event that was just folded did to findings and to what they rest on. */
  follow(): void {
    const { changes, desk } = this.state;
    if (changes.news.length > 0) {
      const last = new Map(changes.news.map((news) => [news.found.finding.id, news]));
      changes.news.length = 0;
      for (const { found, isGone } of last.values())
        if (isGone) this.withdrawn(found);
        else this.raised(found);
      this.clear();
    }
    if (desk.watched.size === 0 || !this.mayTouch()) return;
    // in one order, whether they were claimed one after another or loaded
    const touched = [...desk.watched.keys()].filter((id) => this.isTouched(id)).sort();
    for (const id of touched) this.remake(desk.items.get(id) as Item);
  }

  /**
   * Makes the evidence of a shoe's findings for the last time, because it goes out of reach. First
   * follows what was done to them.
   */
  leave(shoe: Shoe): void {
    const { desk } = this.state;
    this.follow();
    desk.behind = null;
    desk.looked.delete(shoe.ref);
    for (const item of desk.items.values()) {
      if (item.shoeRef !== shoe.ref) continue;
      desk.watched.delete(item.id);
      const finding = this.findingOf(item, shoe);
      const behind = this.behind(shoe);
      desk.final += 1;
      const events = finding ? behind.behind(finding) : [];
      const people = finding ? behind.people(finding, events) : [];
      const evidence = finding ? behind.digest(events, this.book.sha256) : item.evidence;
      this.set(item, { people, evidence }, finding ? basisOf(people, events) : null);
    }
    desk.behind = null;
  }

  /** Makes the list of findings to watch again, once a table was loaded. */
  watchAgain(): void {
    const { desk } = this.state;
    for (const item of desk.items.values())
      if (item.people !== null) desk.final += 1;
      else if (item.sought)
        this.watch(item.id, item.evidence === null ? null : this.peopleOf(item));
    desk.behind = null;
  }

  private policy(ref: string): Policy {
    const policy = this.book.policies.get(ref);
    if (!policy)
      throw new Error(`the record names the review policy ${ref}, which is not installed`);
    return policy;
  }

  private shoeOf({ shoeRef }: Item): Shoe | undefined {
    const { open, before } = this.state;
    return [open, before].find((shoe) => shoe?.ref === shoeRef) ?? undefined;
  }

  private findingOf({ id }: Item, shoe: Shoe): Finding | undefined {
    return shoe.found.get(id)?.finding;
  }

  /** Returns what findings of a shoe rest on. Between two events of the game it is made once. */
  private behind(shoe: Shoe): ShoeEvidence {
    const { desk } = this.state;
    if (desk.behind?.shoe !== shoe) desk.behind = new ShoeEvidence(shoe);
    return desk.behind;
  }

  private peopleOf(item: Item): readonly string[] {
    if (item.people) return item.people;
    const shoe = this.shoeOf(item);
    const finding = shoe && this.findingOf(item, shoe);
    if (!finding) return [];
    const evidence = this.behind(shoe);
    return evidence.people(finding, evidence.behind(finding));
  }

  /**
   * Returns who is known to be involved when a finding is raised: who was on duty, and who sent or
   * is named in the events that it names. Its evidence adds the others.
   */
  private peopleAtFirst({ finding, coup: ref }: Found): string[] {
    const { duty } = this.state;
    const shoe = this.shoeOf({ shoeRef: finding.shoeRef ?? null } as Item);
    const coup = shoe?.coups.findLast((each) => each.ref === ref);
    const named = finding.events.flatMap(
      (reference) => (shoe && eventIn(shoe, reference, coup?.from)) ?? [],
    );
    const onDuty = [...(coup?.dealers ?? [duty.dealer]), duty.caller];
    const people = [...onDuty.filter((one) => one !== null), ...named.flatMap(peopleOf)];
    return [...new Set(people)].slice(0, PEOPLE_MAX);
  }

  private isCoupOpen(item: Item): boolean {
    const { coup } = this.shoeOf(item) ?? {};
    return coup !== undefined && coup !== null && coup.ref === item.coupRef;
  }

  private set(item: Item, change: Partial<Item>, basis: Basis | null = null): Item {
    const now = { ...item, ...change };
    this.state.desk.items.set(item.id, now);
    this.mark(now, basis);
    return now;
  }

  private mark(item: Item, basis: Basis | null, lapsed = false): void {
    const { items, receipt } = this.state.changes;
    const known = items.get(item.id)?.basis ?? null;
    items.set(item.id, { item, lapsed, basis: basis ?? known, mark: receipt.mark });
  }

  private report(event: ReviewEvent, outcome: ReviewOutcome): void {
    const { desk, changes } = this.state;
    const { finding } = event.data;
    changes.reviews.push({
      is: 'reviewed',
      finding,
      event,
      outcome,
      item: desk.items.get(finding) ?? null,
      mark: changes.receipt.mark,
    });
  }

  private turn(item: Item, turn: Turned['turn']): void {
    const { reviews, receipt } = this.state.changes;
    reviews.push({ is: 'turned', finding: item.id, turn, item, mark: receipt.mark });
  }

  private withdrawn({ finding: { id } }: Found): void {
    const item = this.state.desk.items.get(id);
    if (!item?.standing) return;
    this.fallen(item, { standing: false });
  }

  /** Takes a finding that was raised or amended, or is only marked again as it was. */
  private raised(found: Found): void {
    const { desk } = this.state;
    const content = contentDigest(found.finding);
    const item = desk.items.get(found.finding.id);
    if (!item) {
      const fresh = this.newItem(found, content);
      desk.items.set(fresh.id, fresh);
      this.mark(fresh, basisOf(fresh.people ?? this.peopleAtFirst(found), []));
      if (fresh.people !== null) desk.final += 1;
      return;
    }
    if (item.standing && item.content === content) return;
    const { impact } = found.finding;
    const now = { standing: true, content, amount: impact?.amount ?? 0 };
    if (item.state === 'ruled') {
      const regressed = { ...now, state: 'open', ruling: null, regressed: true, touched: false };
      this.turn(this.set(item, regressed as Partial<Item>), 'regressed');
    } else this.fallen(item, now);
    if (item.sought) this.seek(item.id);
  }

  /** Changes an item; a proposal about it falls. */
  private fallen(item: Item, change: Partial<Item>): void {
    if (item.state !== 'proposed') return void this.set(item, change);
    this.turn(this.set(item, { ...change, state: 'open', proposal: null, stale: true }), 'stale');
  }

  private newItem({ finding, coup }: Found, content: number): Item {
    const { id, code, severity, impact, shoeRef, seat, events } = finding;
    const shoe = shoeRef === undefined ? undefined : this.shoeOf({ shoeRef } as Item);
    const { sha256 } = this.book;
    // one literal: objects that are spread together cost several times as much
    return {
      id,
      code,
      severity,
      amount: impact?.amount ?? 0,
      currency: shoe?.currency ?? null,
      shoeRef: shoeRef ?? null,
      coupRef: coup,
      seat: seat ?? null,
      standing: true,
      content,
      state: 'open',
      claim: null,
      proposal: null,
      ruling: null,
      escalated: null,
      stale: false,
      regressed: false,
      touched: false,
      sought: false,
      evidence: shoe ? null : evidenceOfReferences(events, sha256),
      people: shoe ? null : events.flatMap(personNamed),
    };
  }

  /** Makes the evidence of a finding, unless its coup is open, and watches what it rests on. */
  private seek(id: string): void {
    const { items } = this.state.desk;
    const item = items.get(id) as Item;
    if (item.people !== null) return;
    this.watch(id);
    this.remake(item);
  }

  /** Makes again what a finding rests on and who is involved, and follows if it is another now. */
  private remake(item: Item): void {
    const shoe = this.shoeOf(item);
    const finding = shoe && this.findingOf(item, shoe);
    if (!finding || this.isCoupOpen(item)) return;
    const behind = this.behind(shoe);
    const events = behind.behind(finding);
    const evidence = behind.digest(events, this.book.sha256);
    const people = behind.people(finding, events);
    const seen = this.state.desk.watched.get(item.id);
    const isSame = evidence === item.evidence;
    if (isSame && seen?.people?.join('\0') === people.join('\0')) return;
    if (seen) this.state.desk.watched.set(item.id, { ...seen, people });
    this.mark(item, basisOf(people, events));
    if (isSame) this.involve(item, people);
    else if (item.state === 'ruled')
      this.turn(this.set(item, { evidence, touched: true }), 'touched');
    else if (item.state === 'proposed') this.fallen(item, { evidence });
    else this.turn(this.set(item, { evidence }), 'evidence');
  }

  /** Lets a proposal of somebody involved fall, and marks a ruling that one of them made. */
  private involve(item: Item, people: readonly string[]): void {
    const { proposal, ruling } = item;
    if (proposal && people.includes(proposal.by)) return this.fallen(item, {});
    if (ruling === null || item.touched) return;
    const made = [ruling.proposedBy, ruling.signedBy];
    if (people.some((one) => made.includes(one)))
      this.turn(this.set(item, { touched: true }), 'touched');
  }

  private watch(id: string, people: readonly string[] | null = null): void {
    const { desk } = this.state;
    desk.watched.set(id, { ...this.seen(desk.items.get(id) as Item), people });
  }

  private seen(item: Item): Omit<LastSeen, 'people'> {
    const shoe = this.shoeOf(item);
    const coup = shoe?.coups.find(({ ref }) => ref === item.coupRef);
    return {
      coup: coup ? `${coup.state} ${coup.to} ${coup.reachedBy.length}` : '',
      entries: shoe?.journal.length ?? 0,
    };
  }

  /**
   * Returns whether the journals have a new entry that can change what a finding rests on after its
   * coup. Most events, such as cards and bets, cannot.
   */
  private mayTouch(): boolean {
    const { desk, open, before } = this.state;
    let may = false;
    for (const shoe of [open, before]) {
      if (!shoe) continue;
      const { journal, ref } = shoe;
      for (let at = desk.looked.get(ref) ?? 0; at < journal.length; at += 1)
        may ||= TOUCHING.has((journal[at] as Entry).type);
      desk.looked.set(ref, journal.length);
    }
    return may;
  }

  /** Returns whether what a finding rests on may have changed since it was last asked. */
  private isTouched(id: string): boolean {
    const { desk } = this.state;
    const item = desk.items.get(id) as Item;
    const before = desk.watched.get(id) as LastSeen;
    const now = this.seen(item);
    if (now.coup === before.coup && now.entries === before.entries) return false;
    desk.watched.set(id, { ...before, ...now });
    const since = this.shoeOf(item)?.journal.slice(before.entries) ?? [];
    return (
      now.coup !== before.coup ||
      since.some(
        (entry) =>
          entry.type === 'observation-corrected' ||
          (item.coupRef === null && isOfDuty(entry)) ||
          (entry.type !== 'gap' && isOfLedger(entry) && entry.data.seat === item.seat),
      )
    );
  }

  private clear(): void {
    for (const item of clearDesk(this.state.desk)) {
      if (!item.standing || item.state === 'ruled') continue;
      this.mark(item, null, true);
      this.turn(item, 'lapsed');
    }
  }
}

/** Entries of a journal that end a coup, reach back to one, enter commission, or change duty. */
const TOUCHING: ReadonlySet<Entry['type']> = new Set([
  'coup-opened',
  'coup-closed',
  'coup-voided',
  'shoe-closed',
  'shoe-opened',
  'card-moved',
  'bet-settled',
  'commission-collected',
  'commission-waived',
  'observation-corrected',
  'dealer-signed-on',
  'dealer-relieved',
]);

const isOfDuty = ({ type }: Entry): boolean =>
  type === 'dealer-signed-on' || type === 'dealer-relieved';

const basisOf = (people: readonly string[], events: readonly AnyEvent[]): Basis => ({
  people,
  positions: events.flatMap(({ position }) => position ?? []),
});

/** Returns the digest by which a repeat of an act is known: its time does not count. */
function digestOfAct(event: ReviewEvent): number {
  const { confirmed: _, ...data } = event.data as { readonly confirmed?: string };
  const lanes = newLanes();
  takeText(lanes, event.type);
  takeText(lanes, canonicalData(event.type, { data }, null));
  return digestOf(lanes);
}

function contentDigest(finding: Finding): number {
  const lanes = newLanes();
  takeText(lanes, JSON.stringify(finding));
  return digestOf(lanes);
}

/** Returns the person whose event a reference names. */
function personNamed(reference: string): string[] {
  const person = /^person\/([^#]+)#/.exec(reference)?.[1];
  return person === undefined ? [] : [person];
}
