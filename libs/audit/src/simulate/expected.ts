import type { ReviewType } from '../events/events.js';
import type { FindingCode } from '../findings/catalogue.js';
import type { ReviewOutcome } from '../review/desk.js';

/**
 * A finding that must be in force once the simulated log is audited. There must be no other of its
 * kind.
 */
export interface ExpectedFinding {
  readonly code: FindingCode;
  readonly table: string;
  readonly shoe: string;
  /**
   * Absent if the finding names no coup because it is about the shoe as a whole or about what lies
   * between coups.
   */
  readonly coup?: number;
  /** The fault that was injected: the code itself, or one that entails it. */
  readonly fault: FindingCode;
}

/** What must become of an act on a finding. */
export interface ExpectedReview {
  readonly finding: string;
  /** The reference of the act's event. */
  readonly event: string;
  readonly type: ReviewType;
  /** The person who acts. */
  readonly by: string;
  readonly outcome: ReviewOutcome;
}
