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
      headers = { authorization: `Bearer ${token}` },
    }: {
      readonly id?: string;
      readonly paused?: boolean;
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
        if (!paused) response.on('data', (text: string) => this.take(text));
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

  private take(text: string): void {
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
