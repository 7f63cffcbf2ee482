import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { eventually } from './eventually.js';

/** An event of the stream, with the id that a reader has after it. */
export interface Told {
  readonly event: string;
  readonly data: unknown;
  /** The last id before or with the event. */
  readonly id: string;
}

/** Reads the stream as a browser's EventSource does. */
export class StreamReader {
  readonly told: Told[] = [];
  id: string;
  comments = 0;
  /** How many characters it has taken. */
  taken = 0;
  status: number | undefined;
  headers: IncomingMessage['headers'] = {};
  ended = false;
  response: IncomingMessage | undefined;
  private readonly request: ClientRequest;
  private rest = '';

  constructor(
    url: string,
    token: string,
    {
      id = '',
      paused = false,
      bytesPerSecond,
      headers = { authorization: `Bearer ${token}` },
    }: {
      readonly id?: string;
      readonly paused?: boolean;
      /** How much a slow reader takes. */
      readonly bytesPerSecond?: number;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    this.id = id;
    this.request = get(
      `${url}/v1/stream`,
      {
        agent: false,
        headers: { ...headers, ...(id !== '' && { 'last-event-id': id }) },
      },
      (response) => {
        this.status = response.statusCode;
        this.headers = response.headers;
        this.response = response;
        response
          .setEncoding('utf8')
          .on('close', () => (this.ended = true))
          .on('error', () => (this.ended = true));
        if (bytesPerSecond !== undefined) this.takeSlowly(response, bytesPerSecond);
        else if (!paused) response.on('data', (text: string) => this.take(text));
      },
    );
    this.request.on('error', () => (this.ended = true));
  }

  of<Thing>(event: string): Thing[] {
    return this.told.filter((each) => each.event === event).map(({ data }) => data as Thing);
  }
  listening(): Promise<unknown> {
    return eventually('an answer', () => this.status !== undefined && this.id !== '');
  }
  cut(): void {
    this.request.destroy();
  }

  private takeSlowly(response: IncomingMessage, bytesPerSecond: number): void {
    const step = Math.ceil(bytesPerSecond / 10);
    const pace = setInterval(() => {
      const ready = Math.min(step, response.readableLength);
      this.take((response.read(ready > 0 ? ready : undefined) as string | null) ?? '');
    }, 100);
    response.on('close', () => clearInterval(pace));
  }
  private take(text: string): void {
    this.taken += text.length;
    const parts = `${this.rest}${text}`.split('\n\n');
    this.rest = parts.pop() as string;
    for (const part of parts) this.takeOne(part.split('\n'));
  }
  private takeOne(lines: readonly string[]): void {
    const of = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines.some((line) => line.startsWith(':'))) this.comments += 1;
    this.id = of('id') ?? this.id;
    const [event, data] = [of('event'), of('data')];
    if (event !== undefined && data !== undefined)
      this.told.push({ event, data: JSON.parse(data), id: this.id });
  }
}
