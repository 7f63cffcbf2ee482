import { knownType } from '#audit';
import { angelEye, rememberKept, SEQUENCE_UNKNOWN } from '#devices';
import type { AngelEyeState, FrameDecoder, Line1Memory } from '#devices';
import type { SpoolFrame } from '#spool';
import {
  gatewayName,
  type DeviceConfiguration,
  type GatewayConfiguration,
} from '../configuration/configuration.js';
import { isSkip, type Skip } from './skip.js';

/** The session of a source that the gateway numbers, and the last number of it. */
interface SourceNumbers {
  readonly session: string;
  readonly last: number;
}

/**
 * What the gateway knows of its table, as plain JSON. It follows from the frames of the spool alone
 * (`recorded`), so it is the same after a restart.
 */
export interface DeskState {
  /** The shoe that is open. */
  readonly shoe: string | null;
  /** The number of its last coup, 0 before the first. */
  readonly coup: number;
  /** Whether that coup has neither a result nor another end, and whether a hand has a card. */
  readonly isUnderWay: boolean;
  readonly hasCards: boolean;
  /** The numbers of each source, by its name. */
  readonly sources: Readonly<Record<string, SourceNumbers>>;
  /** What the decoder of each `angel-eye-ii-ex` has learned, by the name of the device. */
  readonly shoes: Readonly<Record<string, AngelEyeState>>;
  /** What is remembered of each device on line protocol 1. */
  readonly lines: Readonly<Record<string, Line1Memory>>;
  /** Events that an operator set aside and that are not yet behind the cursor of the spool. */
  readonly skipped: readonly Skip[];
}

/** A table of which nothing is known. */
export const NEW_DESK: DeskState = {
  ...{ shoe: null, coup: 0, isUnderWay: false, hasCards: false },
  ...{ sources: {}, shoes: {}, lines: {}, skipped: [] },
};

/** What of the content of an event changes the state of the desk. */
interface Content {
  readonly type: string;
  readonly source: string;
  readonly shoe?: string;
  readonly session?: string;
  readonly sequence?: number;
  readonly data: { readonly coup?: number; readonly to?: string | null };
}

type AngelEyeDevice = DeviceConfiguration & { readonly protocol: 'angel-eye-ii-ex' };

/** Returns the decoder of a device. What its configuration leaves open has the cautious reading. */
export const decoderOf = ({
  sequence = SEQUENCE_UNKNOWN,
  bcc = 'learn',
  pairs = false,
}: AngelEyeDevice): FrameDecoder<AngelEyeState> => angelEye({ sequence, bcc, pairs });

/** Folds the frames of a spool to the state of the desk. */
export class DeskRecord {
  private readonly devices: ReadonlyMap<string, DeviceConfiguration>;
  private readonly gateway: string;

  constructor({ table, devices }: Pick<GatewayConfiguration, 'table' | 'devices'>) {
    this.devices = new Map(devices.map((device) => [device.name, device]));
    this.gateway = gatewayName(table);
  }

  /** Returns the state after a frame. Pure. */
  recorded(state: DeskState, frame: SpoolFrame): DeskState {
    const contents = frame.made.map((text) => JSON.parse(text) as Content);
    const heard = this.heard(state, frame, contents);
    return contents.reduce(afterContent, heard);
  }

  /** Returns the state after the bytes of a frame. A device that is not configured is passed over. */
  private heard(state: DeskState, frame: SpoolFrame, contents: readonly Content[]): DeskState {
    const { port, raw, up } = frame;
    if (raw === '') return state;
    if (port === this.gateway) return withSkip(state, raw);
    const device = this.devices.get(port);
    if (device === undefined) return state;
    if (device.protocol === 'line-1') {
      const own = contents.find(({ source }) => source === `device/${port}`);
      const memory = rememberKept(state.lines[port] ?? [], { raw, session: own?.session ?? null });
      return { ...state, lines: { ...state.lines, [port]: memory } };
    }
    const decoder = decoderOf(device);
    const before = state.shoes[port] ?? decoder.start;
    const { state: after } = decoder.feed({ ...before, open: [] }, Buffer.from(raw, 'hex'), up);
    return { ...state, shoes: { ...state.shoes, [port]: after } };
  }
}

/** Returns the state after the content of one event. Pure. */
export const afterEvent = (state: DeskState, text: string): DeskState =>
  afterContent(state, JSON.parse(text) as Content);

function withSkip(state: DeskState, raw: string): DeskState {
  const asked: unknown = JSON.parse(Buffer.from(raw, 'hex').toString());
  return isSkip(asked) ? { ...state, skipped: [...state.skipped, asked] } : state;
}

function afterContent(state: DeskState, content: Content): DeskState {
  const { type, shoe = null, data } = content;
  const numbered = withNumber(state, content);
  switch (knownType(type)) {
    case 'shoe-opened':
      return { ...numbered, shoe, coup: 0, isUnderWay: false, hasCards: false };
    case 'shoe-closed':
      return { ...numbered, shoe: null, coup: 0, isUnderWay: false, hasCards: false };
    case 'coup-opened':
      return { ...numbered, coup: data.coup ?? 0, isUnderWay: true, hasCards: false };
    case 'outcome-declared':
    case 'coup-voided':
    case 'coup-closed':
      return { ...numbered, isUnderWay: false };
    case 'card-drawn':
      return isToHand(data) ? { ...numbered, hasCards: true } : numbered;
    default:
      return numbered;
  }
}

/** Returns whether a card was drawn to one of the hands. */
export const isToHand = ({ to }: { readonly to?: string | null }): boolean =>
  to === 'player' || to === 'banker';

function withNumber(state: DeskState, { source, session, sequence }: Content): DeskState {
  if (session === undefined || sequence === undefined) return state;
  const name = source.slice(source.indexOf('/') + 1);
  const before = state.sources[name];
  const last = before?.session === session ? Math.max(before.last, sequence) : sequence;
  return { ...state, sources: { ...state.sources, [name]: { session, last } } };
}
