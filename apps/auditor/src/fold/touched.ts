import type { Consequence, Coup, Shoe, TableState } from '#audit';

/** What is to be written of a finding: the news of it that came last. */
export interface TouchedFinding {
  readonly changed: number;
  readonly news: Extract<Consequence, { readonly is: 'raised' | 'amended' | 'withdrawn' }>;
}

/**
 * What events changed at one table since its rows were last drawn, by name, each with the offset after the record that
 * changed it last. Rows are drawn from the state only when they are written: a coup of thirty events is drawn once.
 */
export class Touched {
  /** 0 while nothing was. */
  table = 0;
  readonly shoes = new Map<string, number>();
  /** Shoes whose sums changed. */
  readonly sums = new Set<string>();
  readonly coups = new Map<string, { readonly shoeRef: string; readonly changed: number }>();
  /** Coups that a correction took off the record. */
  readonly gone = new Map<
    string,
    { readonly shoe: Shoe; readonly coup: Coup; readonly changed: number }
  >();
  readonly findings = new Map<string, TouchedFinding>();
  /** When the event was received that raised each finding first; null if it has no stamp. */
  readonly raised = new Map<string, string | null>();
  readonly doubts = new Map<string, { readonly shoeRef: string; readonly changed: number }>();
  readonly devices = new Set<string>();
  /** Shoes by reference, those that went out of reach since too. */
  readonly held = new Map<string, Shoe>();
}

/** A table's shoes and what is looked at of them, as they were before an event. */
interface Before {
  readonly open: Shoe | null;
  readonly before: Shoe | null;
  readonly drawn: number;
  readonly coups: number;
  readonly closed: boolean;
  readonly coup: Coup | null;
  readonly dealers: number;
}

export function lookAt({ open, before }: TableState): Before {
  const coup = open?.coup ?? null;
  return {
    open,
    before,
    drawn: open?.drawn ?? 0,
    coups: open?.coups.length ?? 0,
    closed: open?.closed ?? false,
    coup,
    dealers: coup?.dealers.length ?? 0,
  };
}

/** Notes what an event changed: what the fold told of it, and what it does not tell, by comparing the state with that before. */
export function note(
  touched: Touched,
  was: Before,
  state: TableState,
  news: readonly Consequence[],
  changed: number,
): void {
  touched.table = changed;
  for (const each of news) if (each.is === 'shoe') touched.held.set(each.shoe.ref, each.shoe);
  if (was.open !== state.open || was.before !== state.before)
    noteShoes(touched, was, state, changed);
  for (const each of news) noteNews(touched, state, each, changed);
  const { open } = state;
  if (open === null) return;
  if (
    open === was.open &&
    (open.drawn !== was.drawn || open.coups.length !== was.coups || open.closed !== was.closed)
  )
    touched.shoes.set(open.ref, changed);
  if (open.coup) touched.coups.set(open.coup.ref, { shoeRef: open.ref, changed });
  if (was.coup && was.coup.dealers.length !== was.dealers && was.open)
    noteDealer(touched, was.open, was.coup, changed);
}

function noteShoes(touched: Touched, was: Before, state: TableState, changed: number): void {
  for (const former of [was.open, was.before]) {
    if (!former) continue;
    const now =
      [state.open, state.before].find((shoe) => shoe?.ref === former.ref) ??
      touched.held.get(former.ref);
    if (now === undefined) touched.held.set(former.ref, former);
    else if (now !== former) noteReplaced(touched, former, now, changed);
    else if (
      former === was.open &&
      (former.drawn !== was.drawn ||
        former.coups.length !== was.coups ||
        former.closed !== was.closed)
    )
      touched.shoes.set(former.ref, changed);
  }
}

/** A correction made the shoe anew: all of it may be otherwise. */
function noteReplaced(touched: Touched, former: Shoe, now: Shoe, changed: number): void {
  touched.held.set(now.ref, now);
  touched.shoes.set(now.ref, changed);
  touched.sums.add(now.ref);
  const refs = new Set(now.coups.map(({ ref }) => ref));
  for (const coup of former.coups)
    if (!refs.has(coup.ref)) touched.gone.set(coup.ref, { shoe: former, coup, changed });
  for (const ref of refs) {
    touched.gone.delete(ref);
    touched.coups.set(ref, { shoeRef: now.ref, changed });
  }
  for (const [id, { finding, coup, raisedBy }] of now.found)
    touched.findings.set(id, {
      changed,
      news: { is: 'amended', finding, shoeRef: now.ref, coupRef: coup, raisedBy },
    });
  for (const key of now.unjudgeable.keys()) touched.doubts.set(key, { shoeRef: now.ref, changed });
}

/** Who dealt last in a coup is named in its findings, and its money stands under that name. */
function noteDealer(touched: Touched, shoe: Shoe, coup: Coup, changed: number): void {
  touched.sums.add(shoe.ref);
  for (const [id, { finding, coup: ref, raisedBy }] of shoe.found) {
    if (ref === coup.ref)
      touched.findings.set(id, {
        changed,
        news: { is: 'amended', finding, shoeRef: shoe.ref, coupRef: ref, raisedBy },
      });
  }
}

function noteNews(touched: Touched, state: TableState, news: Consequence, changed: number): void {
  switch (news.is) {
    case 'raised':
    case 'amended':
    case 'withdrawn':
      touched.findings.set(news.finding.id, { changed, news });
      return;
    case 'unjudgeable':
    case 'judgeable':
      touched.doubts.set(news.key, { shoeRef: news.shoeRef, changed });
      return;
    case 'coup': {
      const shoe = shoeNamed(touched, state, news.shoe);
      touched.coups.set(news.ref, { shoeRef: shoe.ref, changed });
      touched.sums.add(shoe.ref);
      return;
    }
    case 'ledger':
      touched.sums.add(shoeNamed(touched, state, news.row.shoe).ref);
      return;
    case 'shoe':
      touched.shoes.set(news.shoe.ref, changed);
  }
}

function shoeNamed(touched: Touched, { open, before }: TableState, name: string): Shoe {
  if (open?.name === name) return open;
  if (before?.name === name) return before;
  for (const shoe of touched.held.values()) if (shoe.name === name) return shoe;
  throw new Error(`news of shoe ${name}, which is not within reach`);
}
