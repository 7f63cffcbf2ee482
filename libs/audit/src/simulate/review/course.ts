import type { Item } from '../../review/desk.js';
import { actReference, type Case, type ReviewStage } from './case.js';
import { isInCase, WRONGS } from './wrongs.js';

/** Turns of one review, without those of the wrongs in it. Leases run out, and the game goes on. */
const TURNS_MAX = 60;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Something that people may do once in a review, before they go on with it. */
interface Detour {
  readonly at: ReviewStage;
  /** How many reviews in a hundred it happens in. */
  readonly percent: number;
  readonly take: (about: Case, item: Item) => void;
}

const DETOURS: readonly Detour[] = [
  {
    at: 'open',
    percent: 80,
    take: (about) => about.act(about.proposer, 'finding-viewed', {}),
  },
  {
    at: 'open',
    percent: 20,
    take: (about) => {
      const { proposer, finding, log } = about;
      const to = new Date(log.now).toISOString();
      const from = new Date(log.now - 5 * MINUTE).toISOString();
      const key = about.act(proposer, 'finding-video-hold-requested', { from, to });
      about.request = actReference(proposer, 'video-hold-requested', finding, key);
    },
  },
  {
    at: 'claimed',
    percent: 80,
    take: (about) => {
      if (about.request === null) return;
      const { request, log } = about;
      const { kept } = about.policy.document.video;
      const until = new Date(log.now + kept * SECOND).toISOString();
      about.act(about.other('surveillance'), 'finding-video-held', { request, until });
    },
  },
  {
    at: 'claimed',
    percent: 30,
    take: (about) =>
      about.act(about.proposer, 'finding-commented', { text: 'The dealer was asked about it.' }),
  },
  {
    at: 'claimed',
    percent: 20,
    take: (about) => {
      const video = `recording-${about.random.between(1000, 9999)}`;
      about.act(about.other('surveillance'), 'finding-video-attached', { video });
    },
  },
  {
    at: 'claimed',
    percent: 10,
    take: (about) => about.act(about.proposer, 'finding-released', {}),
  },
  { at: 'open', percent: 10, take: (about) => escalate(about) },
  { at: 'proposed', percent: 15, take: (about) => escalate(about) },
  {
    at: 'proposed',
    percent: 40,
    take: (about, item) => claim(about, about.signer(item)),
  },
  {
    at: 'proposed',
    percent: 15,
    take: (about, item) => {
      const { proposal } = about.waiting(item);
      const { name } = about.proposerWhoSigns(item);
      const data = { proposal, reason: 'the wrong disposition' };
      about.act({ ...about.proposer, name }, 'finding-ruling-taken-back', data);
    },
  },
  {
    at: 'proposed',
    percent: 20,
    take: (about, item) => {
      const { proposal } = about.waiting(item);
      const data = { proposal, reason: 'the video shows more' };
      about.act(about.signer(item), 'finding-ruling-refused', data);
    },
  },
  { at: 'ruled', percent: 10, take: (about, item) => reopen(about, item) },
];

/** What brings a review one stage further. */
const NEXT: Readonly<Record<Exclude<ReviewStage, 'ruled'>, Detour['take']>> = {
  open: (about) => {
    about.claimKey = claim(about, about.proposer);
  },
  claimed: (about, item) =>
    about.act(about.proposer, 'finding-ruling-proposed', about.proposal(item)),
  proposed: (about, item) =>
    about.act(about.signer(item), 'finding-ruling-signed', about.waiting(item)),
};

const claim = (about: Case, who: Case['proposer']): string =>
  about.act(who, 'finding-claimed', { lease: about.policy.document.lease });

function escalate(about: Case): void {
  const to = about.random.pick(about.policy.document.may.sign) as 'pit-boss';
  about.act(about.proposer, 'finding-escalated', { to, reason: 'it happened before' });
}

function reopen(about: Case, { ruling }: Item): void {
  const who = about.other(about.random.pick(about.policy.document.may.reopen));
  const { ref } = ruling as NonNullable<Item['ruling']>;
  about.act(who, 'finding-reopened', { ruling: ref, reason: 'a new witness' });
}

/**
 * Reviews a finding until it is ruled on and all of the case's wrongs are done, or it is left at an
 * earlier stage. Everything but the wrongs is lawful: people look at the desk before each act.
 * Yields the milliseconds until it wants to continue, and acts at the time of the log's clock.
 */
export function* review(about: Case): Generator<number, void, undefined> {
  const { random, wrongs } = about;
  const detours = DETOURS.filter(({ percent }) => random.chance(percent));
  const leftAt = random.chance(20) ? random.pick(['open', 'claimed', 'proposed']) : undefined;
  const turns = TURNS_MAX + 10 * wrongs.length;
  for (let turn = 0; turn < turns; turn += 1) {
    yield pause(about);
    const { item } = about;
    if (!item) return;
    const stage = about.stage(item);
    if (stage === undefined) continue;
    if (isWronged(about, item, stage)) continue;
    const detour = detours.findIndex(({ at }) => at === stage);
    if (detour >= 0) detours.splice(detour, 1)[0]?.take(about, item);
    else if (wrongs.length === 0 && (stage === 'ruled' || stage === leftAt)) return;
    else if (stage === 'ruled') reopen(about, item);
    else NEXT[stage](about, item);
  }
}

/** Does one of the wrongs for which the review has come far enough. Returns whether it did one. */
function isWronged(about: Case, item: Item, stage: ReviewStage): boolean {
  const { wrongs } = about;
  const at = wrongs.findIndex((word) => isInCase(word) && WRONGS[word].at === stage);
  const word = wrongs[at];
  if (word === undefined || !isInCase(word)) return false;
  WRONGS[word].commit(about, item);
  wrongs.splice(at, 1);
  return true;
}

/** Returns how long people think before the next act: less than half of a lease. */
const pause = ({ random, policy }: Case): number =>
  random.between(5 * SECOND, (policy.document.lease * SECOND) / 2 - SECOND);
