import { Decoder, type EventType, type Fault } from '#audit';
import type { LostBecause, Observation, Reported, ReportedEvent } from '#devices';
import type { SpoolFrame } from '#spool';
import { gatewayName, type GatewayConfiguration } from '../configuration/configuration.js';
import { Draft, houseOf, writableTime } from './draft.js';
import { DeskRecord, isToHand, type DeskState } from './record.js';
import type { Skip } from './skip.js';

/** What the desk takes from outside: clocks and chance. */
export interface DeskSurroundings {
  /** Returns the wall clock at a moment of the monotonic clock: milliseconds, from seconds. */
  readonly wallAt: (up: number) => number;
  /** Returns random hexadecimal digits in lower case. */
  readonly randomDigits: (count: number) => string;
  /** The version of the program. */
  readonly version: string;
}

/** Where a frame comes from. */
interface Heard {
  readonly port: string;
  readonly up: number;
  readonly raw?: string;
  readonly integrity?: SpoolFrame['integrity'];
}

/** The lengths of a session that the gateway names, and of the end of a shoe's id. */
const SESSION_DIGITS = 16;
const SHOE_DIGITS = 6;

const BECAUSE: Readonly<Record<LostBecause | 'room', string>> = {
  number: 'by the numbers of the device',
  index: 'by the index of a card',
  damage: 'a damaged frame without a copy',
  form: 'a frame of the game in an unknown form',
  room: 'the spool was full',
};

/**
 * Makes the contents that are delivered of what devices say. It alone knows the table, the open
 * shoe, its coups and the next number of each source. It invents nothing: what it adds is what the
 * configuration says that it adds, and that something was not heard.
 *
 * Each call returns frames for the spool, in order, and takes them to be recorded.
 */
export class TableDesk {
  /** How many events the api would refuse, and whose numbers are left out. */
  unfit = 0;
  private readonly record: DeskRecord;
  private readonly decoder: Decoder;
  private readonly gateway: string;
  /** The session that each source began in this run. Any other source begins one first. */
  private readonly begun = new Map<string, string>();
  /** Devices without a card since an outage: their coups may have passed unheard. */
  private readonly unheard = new Set<string>();
  /** Devices whose coup begins, unless the next observation shows that it began unheard. */
  private readonly beginning = new Set<string>();
  /** Devices on line protocol 1 whose link was said to be lost. */
  private readonly unlinked = new Set<string>();

  constructor(
    /** What was recorded so far. */
    public state: DeskState,
    private readonly configuration: GatewayConfiguration,
    private readonly around: DeskSurroundings,
  ) {
    this.record = new DeskRecord(configuration);
    this.decoder = new Decoder(houseOf(configuration.opens.rules), 'refused');
    this.gateway = gatewayName(configuration.table);
  }

  /** Takes what the decoder of a device observed. */
  hear(device: string, observation: Observation): readonly SpoolFrame[] {
    const { raw, integrity, up } = observation;
    return this.framed({ port: device, raw, integrity, up }, (draft) =>
      this.numbersItself(device)
        ? this.takeNumbered(draft, device, observation)
        : this.take(draft, device, observation),
    );
  }

  /** Takes that the link to a device is there. */
  opened(device: string, up: number): readonly SpoolFrame[] {
    return this.framed({ port: device, up }, (draft) => {
      if (!this.numbersItself(device)) this.begin(draft, device, { missed: null });
      else if (this.unlinked.delete(device))
        this.say(draft, 'device-error-cleared', 'link-lost', device);
    });
  }

  /** Takes that the link to a device was lost, or could not be made. */
  lost(device: string, reason: string, up: number): readonly SpoolFrame[] {
    return this.framed({ port: device, up }, (draft) => {
      if (!this.numbersItself(device)) return this.end(draft, device, reason);
      this.unlinked.add(device);
      this.say(draft, 'device-error', 'link-lost', `${device}: ${reason}`);
    });
  }

  /**
   * Takes that frames of a device that the gateway numbers found no room in the spool. `isSame`:
   * the link held all the while, so that the session goes on.
   */
  unrecorded(device: string, count: number, isSame: boolean, up: number): readonly SpoolFrame[] {
    return this.framed({ port: device, up }, (draft) => {
      if (isSame && this.begun.has(device)) this.skipNumbers(draft, device, count, 'room');
      else this.begin(draft, device, { missed: null });
    });
  }

  /** Begins a new session of each device that the gateway numbers and that has one. */
  beginAgain(devices: readonly string[], up: number): readonly SpoolFrame[] {
    return devices
      .filter((device) => !this.numbersItself(device))
      .flatMap((device) =>
        this.framed({ port: device, up }, (draft) => this.begin(draft, device, { missed: null })),
      );
  }

  /** Records a problem of the gateway itself, or its end. */
  trouble(
    type: 'device-error' | 'device-error-cleared',
    code: string,
    text: string,
    up: number,
  ): readonly SpoolFrame[] {
    return this.framed({ port: this.gateway, up }, (draft) => this.say(draft, type, code, text));
  }

  /** Takes that an operator set an event aside. */
  skip(skip: Skip, up: number): readonly SpoolFrame[] {
    const raw = Buffer.from(JSON.stringify(skip)).toString('hex');
    const { n, event, by, reason } = skip;
    return this.framed({ port: this.gateway, raw, up }, (draft) =>
      this.say(
        draft,
        'device-error',
        'event-skipped',
        `line ${n}, event ${event}, ${by}: ${reason}`,
      ),
    );
  }

  /** Forgets what was not recorded: goes back to what is. */
  goBackTo(state: DeskState): void {
    this.state = state;
    for (const [name, session] of this.begun)
      if (state.sources[name]?.session !== session) this.begun.delete(name);
  }

  /** Makes one frame. Observations of line 1 that become nothing are not kept. */
  private framed(heard: Heard, make: (draft: Draft) => void): readonly SpoolFrame[] {
    const { port, up, raw = '', integrity = 'none' } = heard;
    const at = writableTime(this.around.wallAt(up));
    const { decoder } = this;
    const draft = new Draft(this.state, { table: this.configuration.table, decoder, at });
    make(draft);
    const { made } = draft;
    if (made.length === 0 && (raw === '' || this.numbersItself(port))) return [];
    const frame = { at, up, port, raw, integrity, made };
    this.state = this.record.recorded(this.state, frame);
    return [frame];
  }

  private numbersItself(name: string): boolean {
    const device = this.configuration.devices.find((each) => each.name === name);
    return device?.protocol === 'line-1';
  }

  /** Takes an observation of a device whose events the gateway numbers. */
  private take(draft: Draft, device: string, { kind, fields }: Observation): void {
    if (this.beginning.delete(device)) {
      // What is lost of a coup whose beginning nobody heard is in the outage already.
      if (kind === 'lost' && fields.because === 'index') return;
      this.openCoup(draft, device);
    }
    if (kind === 'lost') this.skipNumbers(draft, device, fields.count, fields.because);
    else if (kind === 'started') this.begin(draft, device, { missed: fields.missed });
    else if (kind === 'checksum-settled')
      this.number(draft, device, 'device-setting-changed', { code: 'bcc', text: fields.reading });
    else if (kind === 'refused')
      this.number(draft, device, 'device-error', { code: 'unrecognised', text: fields.problem });
    else if (kind === 'coup-begins') this.beginCoup(draft, device);
    else if (kind === 'report')
      for (const event of fields.events) this.report(draft, device, event);
  }

  private report(draft: Draft, device: string, event: ReportedEvent): void {
    if (event.type === 'card-drawn') {
      this.prepare(draft, device, event.data);
      if (isToHand(event.data)) this.unheard.delete(device);
    } else if (event.type === 'outcome-declared') this.unheard.delete(device);
    const faults = this.number(draft, device, event.type, this.dataOf(event));
    if (faults.length === 0) return;
    this.unfit += 1;
    this.skipNumbers(draft, device, 1, 'form');
    this.say(draft, 'device-error', 'unrecognised', inWords(device, faults));
  }

  /** Opens the shoe and the coup of a card, where the configuration says that the gateway does. */
  private prepare(draft: Draft, device: string, card: Reported['card-drawn']): void {
    if (card.to !== 'out') this.openShoe(draft, device);
    if (isToHand(card) && !draft.state.isUnderWay) this.openCoup(draft, device);
  }

  /**
   * Takes that a coup begins. After an outage in a coup, a card in the middle of another one counts
   * for the coup that is open: that one cannot be judged, and a new one could not be either.
   */
  private beginCoup(draft: Draft, device: string): void {
    const { isUnderWay, hasCards } = draft.state;
    const mayGoOn = isUnderWay && hasCards && this.unheard.has(device);
    if (mayGoOn && this.opensCoupsOf(device)) this.beginning.add(device);
    else this.openCoup(draft, device);
  }

  private opensCoupsOf(device: string): boolean {
    return this.configuration.coups === 'shoe' && !this.numbersItself(device);
  }

  /** Opens a coup, unless another device opens coups, or has opened one that has no card yet. */
  private openCoup(draft: Draft, device: string): void {
    const { isUnderWay, hasCards } = draft.state;
    if (!this.opensCoupsOf(device) || (isUnderWay && !hasCards)) return;
    this.openShoe(draft, device);
    // a new shoe counts from 1, also if its spool lost the end of the one before
    this.number(draft, device, 'coup-opened', { coup: draft.state.coup + 1 });
  }

  /** Opens a shoe if none is open and the configuration says that the first card does. */
  private openShoe(draft: Draft, device: string): void {
    const { table, opens } = this.configuration;
    if (draft.state.shoe !== null || opens.when !== 'first-card') return;
    const { rules, decks, currency, reports } = opens;
    const day = new Date(draft.at).toISOString().slice(0, 10).replaceAll('-', '');
    const shoe = `${table}-${day}-${this.around.randomDigits(SHOE_DIGITS)}`;
    const data = { rules, decks, kind: 'physical', currency, reports };
    const source = this.numbersItself(device) ? this.ownSource(draft) : device;
    draft.add('shoe-opened', data, this.nextOf(draft, source), shoe);
  }

  /** Takes an observation of a device that numbers its events itself. */
  private takeNumbered(draft: Draft, device: string, observation: Observation): void {
    const { kind, fields, session, deviceNumber } = observation;
    if (kind === 'session' && fields.reused)
      this.say(draft, 'device-error', 'boot-reused', `${device}: ${fields.unit}, ${fields.boot}`);
    else if (kind === 'refused')
      this.say(draft, 'device-error', 'unrecognised', `${device}: ${fields.problem}`);
    if (kind !== 'report' || session === undefined || typeof deviceNumber !== 'number') return;
    for (const event of fields.events) {
      if (event.type === 'card-drawn') this.prepare(draft, device, event.data);
      const numbered = { name: device, session, sequence: deviceNumber };
      const shoe = event.type === 'shoe-opened' ? event.data.shoe : undefined;
      const faults = draft.add(event.type, this.dataOf(event, numbered), numbered, shoe);
      if (faults.length === 0) continue;
      this.unfit += 1;
      this.say(draft, 'device-error', 'unrecognised', inWords(device, faults));
    }
  }

  /** Returns the data of an event with what only the gateway knows. */
  private dataOf(
    event: ReportedEvent,
    of?: { readonly name: string; readonly session: string },
  ): object {
    if (event.type === 'shoe-opened') {
      const { rules, currency, reports } = this.configuration.opens;
      return { rules, decks: event.data.decks, kind: 'physical', currency, reports };
    }
    if (event.type !== 'card-moved' || of === undefined) return event.data;
    const { number, to } = event.data;
    return { event: `device/${of.name}#${of.name}/${of.session}/${number}`, to };
  }

  /** Adds an event under the next number of a source. Returns the faults of one that is refused. */
  private number(draft: Draft, name: string, type: EventType, data: object): readonly Fault[] {
    if (!this.begun.has(name)) this.begin(draft, name, { missed: null });
    return draft.add(type, data, this.nextOf(draft, name));
  }

  private nextOf({ state }: Draft, name: string) {
    const { session, last } = state.sources[name] ?? { session: '', last: 0 };
    return { name, session, sequence: last + 1 };
  }

  /** Begins a new session of a source. */
  private begin(draft: Draft, name: string, online: Reported['device-online']): void {
    const session = this.around.randomDigits(SESSION_DIGITS);
    this.begun.set(name, session);
    if (online.missed !== 0) this.unheard.add(name);
    draft.add('device-online', online, { name, session, sequence: 1 });
  }

  /** Ends what is heard of a device: nothing more comes in its session. */
  private end(draft: Draft, name: string, reason: string): void {
    const fresh = { name, session: this.around.randomDigits(SESSION_DIGITS), sequence: 1 };
    const numbered = this.begun.has(name) ? this.nextOf(draft, name) : fresh;
    draft.add('device-offline', { text: reason }, numbered);
    this.begun.delete(name);
  }

  /** Leaves a hole for what was lost, and says so under the number after it. */
  private skipNumbers(
    draft: Draft,
    name: string,
    count: number,
    because: keyof typeof BECAUSE,
  ): void {
    if (!this.begun.has(name)) return this.begin(draft, name, { missed: null });
    const { sequence, ...next } = this.nextOf(draft, name);
    const text = `${count} lost: ${BECAUSE[because]}`;
    const data = { code: 'frame-lost', text };
    draft.add('device-error', data, { ...next, sequence: sequence + count });
  }

  /** Returns the name of the gateway itself, whose session has begun. */
  private ownSource(draft: Draft): string {
    if (!this.begun.has(this.gateway))
      this.begin(draft, this.gateway, { firmware: this.around.version });
    return this.gateway;
  }

  private say(
    draft: Draft,
    type: 'device-error' | 'device-error-cleared',
    code: string,
    text: string,
  ): void {
    draft.add(type, { code, text }, this.nextOf(draft, this.ownSource(draft)));
  }
}

const inWords = (device: string, faults: readonly Fault[]): string =>
  `${device}: ${faults.map(({ pointer, reason }) => `${pointer} ${reason}`).join('; ')}`;
