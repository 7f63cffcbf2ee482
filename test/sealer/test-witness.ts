import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPrivateKey, sign } from 'node:crypto';
import {
  bytesOfBase64,
  cosignedMessage,
  joinBytes,
  keyId,
  noteText,
  readCheckpoint,
  utf8Of,
  verifyConsistency,
  vkeyText,
  type SignedCheckpoint,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';

const { sha256 } = nodeCryptography;
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** How a witness behaves. */
export type WitnessMood = 'honest' | 'away' | 'slow' | 'silent' | 'rubbish' | 'lying';

/** A witness by C2SP tlog-witness, over HTTP, which keeps what it cosigned. */
export class TestWitness {
  mood: WitnessMood = 'honest';
  readonly cosigned: SignedCheckpoint[] = [];
  /** Every checkpoint that was ever sent here. */
  readonly seen: SignedCheckpoint[] = [];
  private readonly held: ServerResponse[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly key: VerifierKey,
    private readonly seed: Buffer,
  ) {}

  static async listen(name: string, byte: number): Promise<TestWitness> {
    const seed = Buffer.alloc(32, byte);
    const server = createServer();
    const witness = new TestWitness(server, keyOf(name, seed), seed);
    server.on('request', (request, response) => void witness.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return witness;
  }

  get settings(): { readonly vkey: string; readonly url: string } {
    const { port } = this.server.address() as AddressInfo;
    return { vkey: vkeyText(this.key), url: `http://127.0.0.1:${port}` };
  }

  /** How many requests wait for a slow answer. */
  get slow(): number {
    return this.waiting.length;
  }

  /** Answers what waited, and everything from now on at once. */
  hurry(): void {
    this.mood = 'honest';
    for (const answer of this.waiting.splice(0)) answer();
  }

  async close(): Promise<void> {
    for (const response of this.held) response.destroy();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await this.received(request);
    const end = (status: number, body = ''): void => void response.writeHead(status).end(body);
    if (this.mood === 'silent') return void this.held.push(response);
    if (this.mood === 'away' || request.url !== '/add-checkpoint') return void end(503);
    if (this.mood === 'rubbish') return void end(200, '— nobody AAAA\n');
    const { old, proof, checkpoint } = read(sent);
    const last = this.cosigned.at(-1);
    const known = last?.size ?? 0;
    if (this.mood === 'lying') return void end(409, `${checkpoint.size + 100}\n`);
    if (old !== known) return void end(409, `${known}\n`);
    const claim = {
      from: known,
      to: checkpoint.size,
      fromRoot: last?.root ?? new Uint8Array(0),
      toRoot: checkpoint.root,
    };
    if (last && !verifyConsistency(sha256, claim, proof)) return void end(409, `${known}\n`);
    this.cosigned.push(checkpoint);
    end(200, this.lineOf(checkpoint.note.text));
  }

  /** Returns what was sent, once this witness gets to it. */
  private async received(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks).toString();
    if (request.url === '/add-checkpoint') this.seen.push(read(sent).checkpoint);
    if (this.mood === 'slow') await new Promise<void>((resolve) => this.waiting.push(resolve));
    return sent;
  }

  private lineOf(text: string): string {
    const time = Math.floor(Date.now() / 1000);
    const at = Buffer.alloc(8);
    at.writeBigUInt64BE(BigInt(time));
    const signature = sign(undefined, utf8Of(cosignedMessage(text, time)), privateKey(this.seed));
    const { name, id } = this.key;
    const signatures = [{ name, id, signature: joinBytes(at, signature) }];
    return noteText({ text: '', signatures }).slice(1);
  }
}

function read(body: string): {
  readonly old: number;
  readonly proof: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
} {
  const end = body.indexOf('\n\n');
  const [first = '', ...hashes] = body.slice(0, end).split('\n');
  return {
    old: Number(/^old (\d+)$/.exec(first)?.[1]),
    proof: hashes.map((hash) => bytesOfBase64(hash) ?? new Uint8Array(0)),
    checkpoint: readCheckpoint(utf8Of(body.slice(end + 2))),
  };
}

const privateKey = (seed: Buffer) =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' });

function keyOf(name: string, seed: Buffer): VerifierKey {
  const jwk = privateKey(seed).export({ format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(jwk.x ?? '', 'base64url'));
  const key = { name, type: 'cosignature', publicKey } as const;
  return { ...key, id: keyId(sha256, key) };
}
