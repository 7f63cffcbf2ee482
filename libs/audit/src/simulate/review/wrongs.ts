import type { ReviewRole } from '../../events/events.js';
import type { ReviewRefusal } from '../../review/arbitrate.js';
import type { Item } from '../../review/desk.js';
import { actReference, needyDisposition, type Case, type ReviewStage } from './case.js';

/** An act that is refused, and how far a review must have come for exactly that refusal. */
interface Wrong {
  readonly at: ReviewStage;
  readonly commit: (about: Case, item: Item) => void;
}

/** Refusals that depend on the game, so that they are not caused in a review that has begun. */
export const OF_THE_GAME = ['coup-open', 'finding-withdrawn'] as const satisfies ReviewRefusal[];
type InCase = Exclude<ReviewRefusal, (typeof OF_THE_GAME)[number]>;

const LEASE = 60;
/** A key under which nothing was sent. */
const NEVER = 'never';

/** What people do wrong, by the refusal that must follow. */
export const WRONGS: Readonly<Record<InCase, Wrong>> = {
  'out-of-reach': {
    at: 'open',
    commit: ({ log, proposer }) => {
      const finding = log.sha256(`never raised ${log.now}`).slice(0, 32);
      const data = { finding, lease: LEASE };
      log.act({ who: proposer, type: 'finding-claimed', data, outcome: 'out-of-reach' });
    },
  },
  'not-permitted': {
    at: 'open',
    commit: (about) => {
      const regulator = { name: 'regulator-1', as: 'regulator' } as const;
      const outcome = 'not-permitted';
      about.act(regulator, 'finding-claimed', { lease: LEASE }, { outcome });
    },
  },
  'conflict-of-interest': {
    at: 'open',
    commit: (about) => {
      const who = { name: about.involved as string, as: 'pit-boss' } as const;
      const outcome = 'conflict-of-interest';
      about.act(who, 'finding-claimed', { lease: LEASE }, { outcome });
    },
  },
  'not-claimed': {
    at: 'open',
    commit: (about, item) => {
      const who = about.other(about.policy.document.may.propose[0] as string);
      const evidence = item.evidence ?? about.log.sha256('');
      const data = about.proposal({ ...item, evidence });
      about.act(who, 'finding-ruling-proposed', data, { outcome: 'not-claimed' });
    },
  },
  'nothing-proposed': {
    at: 'open',
    commit: (about, item) => {
      const { finding, log, proposer } = about;
      const proposal = actReference(proposer, 'ruling-proposed', finding, NEVER);
      const data = { proposal, evidence: item.evidence ?? log.sha256('') };
      const outcome = 'nothing-proposed';
      about.act(about.signer(item), 'finding-ruling-signed', data, { outcome });
    },
  },
  'not-ruled': {
    at: 'open',
    commit: (about) => {
      const { finding, policy, proposer } = about;
      const who = about.other(policy.document.may.reopen[0] as string);
      const ruling = actReference(proposer, 'ruling-proposed', finding, NEVER);
      const data = { ruling, reason: 'a new witness' };
      about.act(who, 'finding-reopened', data, { outcome: 'not-ruled' });
    },
  },
  'idempotency-key-reused': {
    at: 'claimed',
    commit: (about) => {
      const { claimKey: key, policy, proposer } = about;
      const lease = policy.document.lease === LEASE ? 2 * LEASE : LEASE;
      about.act(proposer, 'finding-claimed', { lease }, { outcome: 'idempotency-key-reused', key });
    },
  },
  'claimed-by-another': {
    at: 'claimed',
    commit: (about, item) => {
      const outcome = 'claimed-by-another';
      about.act(about.signer(item), 'finding-claimed', { lease: LEASE }, { outcome });
    },
  },
  'not-yours': {
    at: 'claimed',
    commit: (about, item) => {
      about.act(about.signer(item), 'finding-released', {}, { outcome: 'not-yours' });
    },
  },
  'ruling-incomplete': {
    at: 'claimed',
    commit: (about, { evidence }) => {
      const disposition = needyDisposition(about.policy)?.code ?? 'no-error';
      const data = { disposition, policy: about.policy.ref, evidence: evidence as string };
      const outcome = 'ruling-incomplete';
      about.act(about.proposer, 'finding-ruling-proposed', data, { outcome });
    },
  },
  'evidence-changed': {
    at: 'claimed',
    commit: (about, item) => {
      const evidence = about.log.sha256(`other lines than ${item.evidence}`);
      const data = about.proposal({ ...item, evidence });
      about.act(about.proposer, 'finding-ruling-proposed', data, { outcome: 'evidence-changed' });
    },
  },
  'already-proposed': {
    at: 'proposed',
    commit: (about, item) => {
      const data = about.proposal(item);
      about.act(about.proposer, 'finding-ruling-proposed', data, { outcome: 'already-proposed' });
    },
  },
  'proposal-changed': {
    at: 'proposed',
    commit: (about, item) => {
      const proposal = actReference(about.proposer, 'ruling-proposed', about.finding, NEVER);
      const data = { ...about.waiting(item), proposal };
      const outcome = 'proposal-changed';
      about.act(about.signer(item), 'finding-ruling-signed', data, { outcome });
    },
  },
  'same-person': {
    at: 'proposed',
    commit: (about, item) => {
      const who = about.proposerWhoSigns(item);
      about.act(who, 'finding-ruling-signed', about.waiting(item), { outcome: 'same-person' });
    },
  },
  'already-ruled': {
    at: 'ruled',
    commit: (about, item) => {
      const outcome = 'already-ruled';
      about.act(about.signer(item), 'finding-claimed', { lease: LEASE }, { outcome });
    },
  },
  'ruling-changed': {
    at: 'ruled',
    commit: (about) => {
      const { finding, policy, proposer } = about;
      const who = about.other(policy.document.may.reopen[0] as ReviewRole);
      const ruling = actReference(proposer, 'ruling-signed', finding, NEVER);
      const data = { ruling, reason: 'a new witness' };
      about.act(who, 'finding-reopened', data, { outcome: 'ruling-changed' });
    },
  },
};

/** Returns whether a refusal can be caused in a review that has begun. */
export const isInCase = (word: ReviewRefusal): word is InCase => Object.hasOwn(WRONGS, word);
