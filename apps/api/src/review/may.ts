import { Injectable } from '@nestjs/common';
import { needsTwo, REVIEWER_ROLES, type Policy, type ReviewRefusal } from '#audit';
import { itemAtHand, type FindingAtHand } from '#read-model';
import { may, type Identity } from '../identity/identity.js';
import { Problem } from '../problems/problems.js';
import { COMMANDS, type CommandName } from './commands.js';
import { NO_EVIDENCE, ReviewDesk } from './review-desk.js';

/** The names of all commands on a finding. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** For each command `true`, or what it would be refused for. */
export type May = Readonly<Record<CommandName, true | ReviewRefusal>>;

/** Says by the rows what commands on a finding would lead to. The log decides, so these are hints. */
@Injectable()
export class ReviewHints {
  constructor(private readonly desk: ReviewDesk) {}

  /** The review policy in force. */
  get policy(): Policy {
    return this.desk.policy;
  }

  /** Returns what each command of somebody would lead to now. A proposal is taken to be complete. */
  mayOf(by: Identity, row: FindingAtHand): May {
    const hints = COMMAND_NAMES.map((command) => [command, this.hint(command, by, row)]);
    return Object.fromEntries(hints) as May;
  }

  /**
   * Returns whether a ruling needs two persons, or needed them. Before there is a proposal, its
   * disposition is not known: this is what severity, code and impact say.
   */
  isForTwo(row: FindingAtHand): boolean {
    if (row.proposal !== null) return true;
    if (row.ruling !== null) return row.signedBy !== null;
    const { ref, document } = this.desk.policy;
    const { two, dispositions } = document;
    const plain = dispositions.find(({ code }) => !two.dispositions.includes(code));
    if (!plain) return true;
    const event = { data: { policy: ref, disposition: plain.code } };
    return needsTwo(itemAtHand(row), event as Parameters<typeof needsTwo>[1], {
      policy: () => this.desk.policy,
    });
  }

  private hint(command: CommandName, by: Identity, row: FindingAtHand): true | ReviewRefusal {
    if (may(by, COMMANDS[command].needs) !== 'yes') return 'not-permitted';
    const saying = SAID[command];
    if (!saying) return true;
    if (row.lapsed) return 'out-of-reach';
    const data = saying(row, this.desk.policy);
    try {
      const { event } = this.desk.event({ command, by, key: 'hint', data }, row);
      const { outcome } = this.desk.foreseen(event, row);
      return outcome === 'taken' || outcome;
    } catch (error) {
      if (error instanceof Problem && error.problem === 'not-permitted') return 'not-permitted';
      throw error;
    }
  }
}

/** What each command could say now. What the fold never refuses says nothing. */
const SAID: Readonly<Partial<Record<CommandName, Saying>>> = {
  claim: (_, { document }) => ({ lease: document.lease }),
  release: () => ({}),
  propose: ({ evidence }, { ref: policy, document }) => ({
    ...{ policy, evidence: evidence ?? NO_EVIDENCE },
    ...{ disposition: document.dispositions[0]?.code, note: '-', amount: 1, favours: 'house' },
    video: '-',
  }),
  sign: ({ proposal, evidence }) => ({
    proposal: proposal ?? NOTHING,
    evidence: evidence ?? NO_EVIDENCE,
  }),
  refuse: ({ proposal }) => ({ proposal: proposal ?? NOTHING, reason: '-' }),
  'take-back': ({ proposal }) => ({ proposal: proposal ?? NOTHING }),
  escalate: () => ({ to: REVIEWER_ROLES[0], reason: '-' }),
  reopen: ({ ruling }) => ({ ruling: ruling ?? NOTHING, reason: '-' }),
};

type Saying = (row: FindingAtHand, inForce: Policy) => Readonly<Record<string, unknown>>;

/** A reference where there is none. */
const NOTHING = 'person/nobody#nothing';
