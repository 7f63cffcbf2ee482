import { Command, InvalidArgumentError } from 'commander';
import { Decoder, EVENT_BYTES_MAX, houseFrom, type Block, type RuleBook } from '#audit';
import { installedRules } from '#rule-folder';
import { deliver, REQUEST_MS, type Destination, type RefusedEvent } from './delivery.js';
import { DeliveryState } from './delivery-state.js';
import { readLines, type LineTaker } from '../log/log-lines.js';
import { logFiles, openLogFile, type LogFile } from '../log/log-source.js';
import { MalformedLines, printMalformed } from '../log/malformed.js';
import { counted } from '../terminal/page.js';
import { Progress } from '../terminal/progress.js';
import { EXIT, Refusal } from '../refusal.js';
import { addressAsked, apiOf, secretFrom } from './server.js';

/**
 * The approximate size of a request: large enough that its round trip costs little, small enough to
 * send again.
 */
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_EVENTS = 20_000;

interface SendAsked {
  readonly url: URL;
  readonly keyFile?: string;
  readonly rules: readonly string[];
  readonly patience: number;
}

const EXAMPLES = `
The key of a device is read from --key-file or SHOEPRINT_KEY. FILE.sent records how far a file
has been sent: after an interruption, the same command resumes there. Of a file that has grown,
it sends only the new lines.

Examples:
  SHOEPRINT_KEY=spk_... shoeprint send monday.ndjson --url http://127.0.0.1:8377
  shoeprint send monday.ndjson.gz --url https://audit.example/shoeprint --key-file key.txt

Exit codes: 0 everything is recorded, 2 refused or given up.`;

/**
 * Returns the command `shoeprint send`, which delivers a file to an api, resumably and with
 * progress (contract section 6).
 */
export const sendCommand = (): Command =>
  new Command('send')
    .description('deliver a file of table events to a server')
    .argument('<file>', 'events, one a line; gzip if named .gz')
    .requiredOption('--url <address>', 'where the server answers, without /v1', addressAsked)
    .option('--key-file <file>', 'a file with the key of the device or system that sends')
    .option(
      '--rules <folder>',
      'check against the rule documents of this folder too',
      (folder: string, before: readonly string[]) => [...before, folder],
      [],
    )
    .option(
      '--patience <seconds>',
      'how long to retry while the server accepts nothing',
      secondsAsked,
      120,
    )
    .addHelpText('after', EXAMPLES)
    .action(send);

function secondsAsked(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,6}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of seconds.');
  return seconds;
}

async function send(name: string, asked: SendAsked): Promise<void> {
  if (name === '-')
    throw new Refusal(
      'send cannot read standard input, because it reads its input twice: pass a file',
    );
  const [file] = logFiles([name]) as [LogFile];
  const malformed = await checked(file, installedRules(asked.rules));
  if (malformed.count > 0) {
    process.exitCode = EXIT.refused;
    return void printMalformed(malformed, 'nothing was sent');
  }
  const progress = new Progress(file.size, 'sending');
  const key = secretFrom(
    asked.keyFile,
    'SHOEPRINT_KEY',
    'no device key: pass --key-file or set SHOEPRINT_KEY; an administrator creates one with POST /v1/keys',
  );
  const to: Destination = {
    server: asked.url,
    api: apiOf(asked.url, key, REQUEST_MS),
    patienceMs: asked.patience * 1000,
    waiting: (why) => process.stderr.write(`shoeprint: ${why}; retrying\n`),
  };
  const sending = new Sending(file, to, new DeliveryState(name, asked.url.href));
  await sending.run(progress.at).finally(() => progress.done());
  process.stdout.write(
    `${counted(sending.sent, 'event')} sent to ${asked.url.href}${sending.before > 0 ? `; ${sending.before} had been sent before` : ''}\n`,
  );
}

/**
 * Returns every malformed line of a file, so that what the server would refuse is known before any
 * of it is sent (contract section 2).
 */
async function checked(file: LogFile, book: RuleBook): Promise<MalformedLines> {
  const malformed = new MalformedLines();
  const decoder = new Decoder(houseFrom(book), 'refused');
  const progress = new Progress(file.size, 'checking');
  const bytes = await openLogFile(file);
  await readLines(bytes, {
    line: (block, from, to, number) => {
      const { faults } = decoder.decode(block, from, to);
      if (faults) malformed.add(file.name, number, faults);
    },
    tooLong: (number) =>
      malformed.add(file.name, number, [
        { pointer: '', reason: `is over ${EVENT_BYTES_MAX} bytes` },
      ]),
    goesOn: () => {
      progress.at(bytes.used());
      return true;
    },
  }).finally(() => progress.done());
  await bytes.close();
  return malformed;
}

/**
 * Delivers a file: its lines in order, one request at a time, so that what is durable is always its
 * beginning.
 */
class Sending implements LineTaker {
  sent = 0;
  private readonly batch: Buffer[] = [];
  private readonly numbers: number[] = [];
  private batchBytes = 0;
  private lines = 0;
  private used: () => void = () => undefined;

  constructor(
    private readonly file: LogFile,
    private readonly to: Destination,
    private readonly state: DeliveryState,
  ) {}

  get before(): number {
    return this.state.begun;
  }

  async run(progress: (bytes: number) => void): Promise<void> {
    const bytes = await openLogFile(this.file);
    this.used = () => progress(bytes.used());
    await readLines(bytes, this);
    this.state.end();
    await this.flush();
    await bytes.close();
  }

  line(block: Block, from: number, to: number, number: number): void {
    const line = block.bytes.subarray(from, to);
    this.lines += 1;
    if (!this.state.isNew(line)) return;
    this.batch.push(Buffer.from(line), LINE_END);
    this.batchBytes += line.length + 1;
    this.numbers.push(number);
  }

  tooLong(number: number): void {
    throw new Error(`line ${number} of ${this.file.name} was checked and is now too long`);
  }

  /**
   * Sends the batch once it is full. A block of the file is at most a tenth of a request, so
   * checking after each block is enough to keep to a request's size.
   */
  async goesOn(): Promise<boolean> {
    if (this.batchBytes >= REQUEST_BYTES || this.numbers.length >= REQUEST_EVENTS)
      await this.flush();
    this.used();
    return true;
  }

  private async flush(): Promise<void> {
    if (this.numbers.length === 0) return;
    const digest = this.state.soFar();
    const { refused } = await deliver(this.to, Buffer.concat(this.batch));
    if (refused) throw new Refusal(this.refusalOf(refused));
    this.state.delivered(this.lines, digest);
    this.sent += this.numbers.length;
    this.batch.length = 0;
    this.numbers.length = 0;
    this.batchBytes = 0;
  }

  /**
   * Returns the server's refusal with the lines of the file. The server refuses what was checked
   * here if it has other rules.
   */
  private refusalOf(refused: readonly RefusedEvent[]): string {
    const [first] = refused;
    const line = first && this.numbers[(first.position ?? 0) - 1];
    return `${this.file.name}:${line ?? '?'}: the server refuses ${counted(refused.length, 'fault')}: ${first?.pointer ?? ''} ${first?.reason ?? ''}`.trim();
  }
}

const LINE_END = Buffer.from('\n');
