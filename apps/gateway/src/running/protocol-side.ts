import { line1Gateway } from '#devices';
import type {
  AngelEyeState,
  FrameDecoder,
  Line1Gateway,
  Line1GatewayState,
  Line1GatewayTurn,
  Line1Memory,
  Observation,
} from '#devices';
import type { DeviceConfiguration } from '../configuration/configuration.js';
import { decoderOf, type DeskState } from '../desk/record.js';

/** The gateway's side of a device's protocol. `up` is the monotonic clock in seconds. */
export interface ProtocolSide {
  /** Whether the device keeps its events until they are acknowledged. */
  readonly keepsItself: boolean;
  /** Notes that the link is up. */
  opened(up: number): readonly Observation[];
  /** Notes that the link was lost. */
  lost(): void;
  /** Handles bytes; without any, it only does what is due. */
  feed(bytes: Uint8Array, up: number): readonly Observation[];
  /** Notes that these observations are on disk. */
  stored(observations: readonly Observation[], up: number): void;
  /** Takes the reason why nothing can be kept, or null and what is durable once it can again. */
  busy(reason: string | null, durable: DeskState, up: number): void;
}

/** Returns the gateway's side of a device. `write` sends to it what the protocol has to say. */
export function protocolSide(
  device: DeviceConfiguration,
  durable: DeskState,
  outside: {
    readonly write: (text: string) => void;
    readonly randomDigits: (count: number) => string;
  },
): ProtocolSide {
  if (device.protocol === 'angel-eye-ii-ex')
    return new ShoeSide(decoderOf(device), durable.shoes[device.name]);
  const { listenOnly = false, name } = device;
  const protocol = line1Gateway({ listenOnly, freshDigits: () => outside.randomDigits(8) });
  return new Line1Side(name, protocol, durable.lines[name] ?? [], outside.write);
}

/** A shoe that the gateway only listens to. */
class ShoeSide implements ProtocolSide {
  readonly keepsItself = false;
  private state: AngelEyeState;

  constructor(
    private readonly decoder: FrameDecoder<AngelEyeState>,
    known: AngelEyeState = decoder.start,
  ) {
    this.state = decoder.resume(known);
  }

  opened(): readonly Observation[] {
    return [];
  }

  lost(): void {
    this.state = this.decoder.resume(this.state);
  }

  feed(bytes: Uint8Array, up: number): readonly Observation[] {
    const { state, observations } = this.decoder.feed(this.state, bytes, up);
    this.state = state;
    return observations;
  }

  stored(): void {
    // It expects no answer.
  }

  busy(): void {
    // It cannot be asked to wait.
  }
}

/** A device on line protocol 1, which is answered. */
class Line1Side implements ProtocolSide {
  readonly keepsItself = true;
  private state: Line1GatewayState;
  private isOpen = false;

  constructor(
    private readonly name: string,
    private readonly protocol: Line1Gateway,
    memory: Line1Memory,
    private readonly write: (text: string) => void,
  ) {
    this.state = protocol.start(memory);
  }

  opened(up: number): readonly Observation[] {
    this.isOpen = true;
    return this.took(this.protocol.opened(this.state, up));
  }

  lost(): void {
    this.isOpen = false;
  }

  feed(bytes: Uint8Array, up: number): readonly Observation[] {
    return this.isOpen ? this.took(this.protocol.feed(this.state, bytes, up)) : [];
  }

  stored(observations: readonly Observation[], up: number): void {
    const numbers = new Map<string, number>();
    for (const { kind, session, deviceNumber } of observations) {
      // A copy does not prove that the original is on disk.
      const isTaken = kind === 'report' || kind === 'refused';
      if (isTaken && session !== undefined && typeof deviceNumber === 'number')
        numbers.set(session, Math.max(deviceNumber, numbers.get(session) ?? 0));
    }
    for (const [session, number] of numbers)
      this.took(this.protocol.stored(this.state, { session, number }, up));
  }

  busy(reason: string | null, durable: DeskState, up: number): void {
    if (reason === null) {
      // What found no room comes again, because the device got no answer.
      this.state = this.protocol.start(durable.lines[this.name] ?? []);
      if (this.isOpen) this.took(this.protocol.opened(this.state, up));
    } else this.took(this.protocol.busy(this.state, reason, up));
  }

  private took({ state, observations, write }: Line1GatewayTurn): readonly Observation[] {
    this.state = state;
    for (const line of write) this.write(line);
    return observations;
  }
}
