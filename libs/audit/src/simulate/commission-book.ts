import type { EventData } from '../events/events.js';
import type { Settlement } from './coup/betting.js';
import { planStep, type PlannedStep } from './coup/script.js';
import { FAULT_SEATS, type Setting } from './setting.js';

/**
 * The marked commission that each seat owes, kept from the steps of the coups, as the dealer's
 * lammers show it.
 */
export class CommissionBook {
  private readonly owed = new Map<number, number>();

  constructor(private readonly setting: Setting) {}

  /** Enters what a coup's steps marked, collected and waived. */
  enter(steps: readonly PlannedStep[]): void {
    for (const { type, data } of steps) {
      if (type === 'bet-settled') {
        const { seat, commissionMarked = 0 } = data as Settlement;
        this.add(seat, commissionMarked);
      } else if (type === 'commission-collected' || type === 'commission-waived') {
        const { seat, amount } = data as EventData['commission-collected'];
        this.add(seat, -amount);
      }
    }
  }

  /**
   * Returns the collection of all that a seat owes. Empty if it owes nothing, or is the seat that
   * never pays.
   */
  collect(seat: number): PlannedStep[] {
    const amount = this.owed.get(seat) ?? 0;
    if (amount <= 0 || seat === this.setting.seats + FAULT_SEATS.neverCollected) return [];
    this.owed.delete(seat);
    return [planStep('terminal', 'commission-collected', { seat, amount }, 4000)];
  }

  /** Returns the collection of everything that is owed, seat by seat. */
  collectAll(): PlannedStep[] {
    return [...this.owed.keys()].sort((a, b) => a - b).flatMap((seat) => this.collect(seat));
  }

  private add(seat: number, amount: number): void {
    if (amount !== 0) this.owed.set(seat, (this.owed.get(seat) ?? 0) + amount);
  }
}
