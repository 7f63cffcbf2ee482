// A small keep-alive client: some connections, each with one request under way, which send the same
// bytes again and again. It costs far less than the servers that it drives.
import { connect } from 'node:net';
import { quantile } from '../measure.mjs';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Returns the bytes of a POST.
 * @param {string} path
 * @param {string} type
 * @param {string} body
 * @param {Record<string, string>} [headers]
 */
export function post(path, type, body, headers = {}) {
  const bytes = Buffer.from(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/**
 * Returns the length of the answer at the start of a buffer once it is complete, otherwise 0.
 * Throws unless it is a 202.
 * @param {Buffer} buffer
 */
function answerLength(buffer) {
  const head = buffer.indexOf(END_OF_HEAD);
  if (head < 0) return 0;
  const text = buffer.toString('latin1', 0, head);
  if (!text.startsWith('HTTP/1.1 202'))
    throw new Error(
      `answered ${text.slice(0, 200)} ${buffer.toString('latin1', head, head + 300)}`,
    );
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error(`no Content-Length in ${text}`);
  const whole = head + 4 + Number(length);
  return buffer.length >= whole ? whole : 0;
}

/**
 * Sends `request` over `connections` kept-alive connections for about `ms`. Returns answers per
 * second and the answers' times in ms.
 * @param {{ port: number, request: Buffer, connections: number, ms: number }} asked
 */
export async function load({ port, request, connections, ms }) {
  const until = performance.now() + ms;
  /** @type {number[]} */
  const latencies = [];
  const from = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () => one(port, request, until, latencies)),
  );
  const seconds = (performance.now() - from) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    answers: latencies.length,
    perSecond: latencies.length / seconds,
    p99: quantile(latencies, 0.99),
  };
}

/** @type {(port: number, request: Buffer, until: number, latencies: number[]) => Promise<void>} */
function one(port, request, until, latencies) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sent = 0;
    /** @type {Buffer | undefined} */
    let pending;
    const send = () => {
      sent = performance.now();
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (/** @type {Buffer} */ chunk) => {
      try {
        const buffer = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
        const length = answerLength(buffer);
        pending = length === 0 ? buffer : undefined;
        if (length === 0) return;
        const now = performance.now();
        latencies.push(now - sent);
        if (now < until) send();
        else socket.end(resolve);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
