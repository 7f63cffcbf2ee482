import type { ReportedEvent } from '../observation.js';

/** The protocols whose device side can be emulated. */
export const EMULATED_PROTOCOLS = ['angel-eye-ii-ex', 'line-1'] as const;
/** A protocol whose device side can be emulated. */
export type EmulatedProtocol = (typeof EMULATED_PROTOCOLS)[number];

/** What goes wrong with one message on its way. */
export type WireFault =
  /** It comes twice. */
  | 'double'
  /** It does not come. A device that sends until it is acknowledged sends it again. */
  | 'lost'
  /** It changes places with the message after it. */
  | 'swap'
  /** Random bytes come before it. */
  | 'rubbish'
  /** Its bytes come one by one. */
  | 'slow';

/** The device reports what happened. */
export interface ReportStep {
  readonly is: 'report';
  readonly event: ReportedEvent;
  readonly wire?: WireFault;
  /** The name by which later steps mean this card. */
  readonly reference?: string;
  /** The `reference` of the card that a `card-moved` is about. */
  readonly card?: string;
}

/** Something that happens to an emulated device. */
export type EmulatorStep =
  | ReportStep
  | { readonly is: 'power'; readonly on: boolean }
  | { readonly is: 'cable'; readonly in: boolean }
  /** The device's counter of milliseconds jumps to `ms`. */
  | { readonly is: 'clock'; readonly ms: number };

/** A step, and when it happens: in seconds since the first one, at table speed. */
export interface ScheduledStep {
  readonly at: number;
  readonly step: EmulatorStep;
}

/** Thrown if a device cannot be emulated as asked. The message names what was asked, and why not. */
export class EmulatorRefusal extends Error {
  override readonly name = 'EmulatorRefusal';
}
