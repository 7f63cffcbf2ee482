import { encodeAngelEye } from '../angel-eye/encoder.js';
import type { BccReading } from '../angel-eye/frames.js';
import type { AngelEyeReport } from '../angel-eye/reports.js';
import type { Reported, ReportedEvent } from '../observation.js';
import type { EmulatedDevice } from './emulated-device.js';
import { CardIndexes, endsHands } from './heard.js';
import type { EmulatorStep, ReportStep } from './step.js';
import type { SentBytes, Wire } from './wire.js';

/** The characters with which an emulated shoe numbers its frames, in their order. */
export const EMULATED_SEQUENCE = '0123456789ABCDEF';
/** How an emulated shoe computes the check of its frames. */
const CHECK: BccReading = 'from-sequence';

/** The device side of `angel-eye-ii-ex`. It does not hear, and it remembers nothing. */
export class EmulatedAngelEye implements EmulatedDevice {
  private readonly indexes = new CardIndexes();
  private hasPower = true;
  private sent = 0;

  constructor(private readonly wire: Wire) {}

  /** A shoe that already runs says nothing of it. */
  start(): readonly SentBytes[] {
    return [];
  }

  take(step: EmulatorStep): readonly SentBytes[] {
    if (step.is === 'power') return this.setPower(step.on);
    if (step.is !== 'report' || !this.hasPower) return [];
    return this.report(step);
  }

  feed(): readonly SentBytes[] {
    return [];
  }

  waiting(): number {
    return 0;
  }

  isFull(): boolean {
    return false;
  }

  private setPower(on: boolean): readonly SentBytes[] {
    if (on === this.hasPower) return [];
    this.hasPower = on;
    this.indexes.beginHands();
    if (on) return this.send({ is: 'started' });
    this.wire.clear();
    return [];
  }

  private report({ event, wire }: ReportStep): readonly SentBytes[] {
    const report = this.reportOf(event);
    if (event.type === 'coup-opened' || endsHands(event)) this.indexes.beginHands();
    return report === undefined ? [] : this.send(report, wire);
  }

  private send(report: AngelEyeReport, fault?: ReportStep['wire']): readonly SentBytes[] {
    const sequence = EMULATED_SEQUENCE.charAt(this.sent % EMULATED_SEQUENCE.length);
    this.sent += 1;
    return this.wire.send(encodeAngelEye(report, { sequence, bcc: CHECK }), fault);
  }

  private reportOf({ type, data }: ReportedEvent): AngelEyeReport | undefined {
    switch (type) {
      case 'card-drawn':
        return this.cardReport(data);
      case 'outcome-declared':
        return resultReport(data);
      case 'coup-voided':
        return { is: 'result', result: 'force-quit', playerPair: false, bankerPair: false };
      case 'cut-card-drawn':
        return { is: 'cut-card' };
      case 'device-error':
        return { is: 'error', number: Number(data.code), inErrorMode: false };
      case 'device-error-cleared':
        return { is: 'error-cleared', number: Number(data.code), inErrorMode: false };
      default:
        return undefined;
    }
  }

  private cardReport({ card, to }: Reported['card-drawn']): AngelEyeReport | undefined {
    if (to === null) return undefined;
    if (to === 'out') return { is: 'card-outside', mode: 'lock', index: 1, card };
    return { is: 'card', to, index: this.indexes.next(to), card };
  }
}

function resultReport({ outcome, specials = [] }: Reported['outcome-declared']): AngelEyeReport {
  return {
    is: 'result',
    result: outcome,
    playerPair: specials.includes('player-pair'),
    bankerPair: specials.includes('banker-pair'),
  };
}
