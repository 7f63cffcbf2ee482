import type { HandsDealt, RuleTables } from './rule-tables.js';

/** Bets of one coup that the lane can hold. */
const WAGERS_MAX = 64;
/** How a stake was settled last. */
export const STAKE = { none: 0, returned: 1, taken: 2 } as const;

/** The bets that stand in the coup that is open, or for the next, in the order of their placing. */
export class WagersLane {
  private count = 0;
  readonly seats = new Float64Array(WAGERS_MAX);
  private readonly bets = new Uint16Array(WAGERS_MAX);
  private readonly stands = new Float64Array(WAGERS_MAX);
  private readonly stakes = new Uint8Array(WAGERS_MAX);
  private readonly paid = new Float64Array(WAGERS_MAX);
  private readonly charged = new Float64Array(WAGERS_MAX);
  /** The commission due on each, once `areSettled` has returned true. */
  readonly dues = new Float64Array(WAGERS_MAX);
  isAnySettled = false;

  constructor(
    private readonly rules: RuleTables,
    private readonly limits: readonly (Limit | undefined)[],
  ) {}

  get size(): number {
    return this.count;
  }

  clear(): void {
    this.count = 0;
    this.isAnySettled = false;
  }

  private indexOf(seat: number, bet: number): number {
    const { seats, bets, count } = this;
    for (let i = 0; i < count; i += 1) if (bets[i] === bet && seats[i] === seat) return i;
    return -1;
  }

  /** Places an amount. Returns false, and changes nothing, if there is no room for another bet. */
  place(seat: number, bet: number, amount: number): boolean {
    let i = this.indexOf(seat, bet);
    if (i < 0) {
      if (this.count === WAGERS_MAX) return false;
      i = this.count;
      this.count += 1;
      this.seats[i] = seat;
      this.bets[i] = bet;
      this.stands[i] = this.stakes[i] = this.paid[i] = this.charged[i] = 0;
    }
    this.stands[i] = (this.stands[i] as number) + amount;
    return true;
  }

  /** Withdraws an amount. Returns false, and changes nothing, if the stake is smaller. */
  withdraw(seat: number, bet: number, amount: number): boolean {
    const i = this.indexOf(seat, bet);
    const stands = i < 0 ? -1 : (this.stands[i] as number);
    if (stands < amount) return false;
    this.stands[i] = stands - amount;
    return true;
  }

  /** Settles a bet. Returns false, and changes nothing, if there is no stake. */
  settle(seat: number, bet: number, { stake, paid, charged }: Settling): boolean {
    const i = this.indexOf(seat, bet);
    if (i < 0 || this.stands[i] === 0) return false;
    this.stakes[i] = stake;
    this.paid[i] = (this.paid[i] as number) + paid;
    this.charged[i] = (this.charged[i] as number) + charged;
    this.isAnySettled = true;
    return true;
  }

  /** Returns whether every bet with a stake is within the limits of the table. */
  areWithinLimits(): boolean {
    const { limits, stands, bets, count } = this;
    if (limits.length === 0) return true;
    for (let i = 0; i < count; i += 1) {
      const limit = limits[bets[i] as number];
      const stake = stands[i] as number;
      if (limit && stake !== 0 && (stake < limit.min || stake > limit.max)) return false;
    }
    return true;
  }

  /**
   * Returns whether a bet has a stake, and every bet is settled as the rules require, with the
   * commission that is due.
   */
  areSettled(dealt: HandsDealt, { settlements, commission }: Reported): boolean {
    let isAny = false;
    for (let i = 0; i < this.count; i += 1) {
      this.dues[i] = 0;
      if (this.stands[i] === 0) {
        if (this.stakes[i] !== STAKE.none) return false;
        continue;
      }
      isAny = true;
      if (this.stakes[i] === STAKE.none) {
        if (settlements) return false;
      } else if (!this.isSettled(i, dealt, commission)) return false;
    }
    return isAny;
  }

  /** Returns whether one bet is settled so, and keeps what commission is due on it. */
  private isSettled(i: number, dealt: HandsDealt, isReported: boolean): boolean {
    const { rules, stakes, paid, charged, dues, stands, bets } = this;
    const bet = bets[i] as number;
    const result = rules.resultOf(bet, dealt);
    const won = result.result === 'win' ? rules.winnings(stands[i] as number, result) : 0;
    const wanted = result.result === 'lose' ? STAKE.taken : STAKE.returned;
    if (stakes[i] !== wanted || paid[i] !== won) return false;
    const due = rules.commissionOn(bet, won);
    dues[i] = due;
    return charged[i] === due || (charged[i] === 0 && !isReported);
  }
}

/** The least and the most that may stand on a bet. */
interface Limit {
  readonly min: number;
  readonly max: number;
}

interface Settling {
  readonly stake: number;
  readonly paid: number;
  /** Commission taken and marked together. */
  readonly charged: number;
}

/** What a table reports of its settlements. */
interface Reported {
  readonly settlements: boolean;
  readonly commission: boolean;
}
