import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import type { LiveReport } from '../../apps/console/src/live/connection.js';
import { eventually } from '../kit/eventually.js';

/** What the worker sets for a browser, which calls it for each window. */
interface Scope {
  onconnect: (event: { readonly ports: readonly MessagePort[] }) => void;
}

/** The requests of the worker that wait for their answers. */
const asked: ServerResponse[] = [];
const server = createServer((_request, response) => void asked.push(response));
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/stream`;
await import('../../apps/console/src/live/stream.worker.js');
const windows: MessagePort[] = [];
let stream: ServerResponse | undefined;

afterAll(async () => {
  for (const port of windows) port.postMessage('leave');
  await eventually('the end of the stream', () => stream?.destroyed ?? true);
  for (const port of windows) port.close();
  server.closeAllConnections();
  server.close();
});

/** Joins the worker as a window does. Returns what the window gets. */
function join(): readonly LiveReport[] {
  const { port1, port2 } = new MessageChannel();
  const got: LiveReport[] = [];
  port1.onmessage = ({ data }: MessageEvent<LiveReport>) => void got.push(data);
  (globalThis as unknown as Scope).onconnect({ ports: [port2] });
  port1.postMessage({ join: url });
  windows.push(port1);
  return got;
}

it('does not send a window that the session before has ended', async () => {
  const before = join();
  const refused = await eventually('the first request', () => asked.shift());
  refused.writeHead(401).end();
  await eventually('the end of the session', () => before.some(({ is }) => is === 'signed-out'));
  join(); // with a new session
  const opened = (stream = await eventually('the second request', () => asked.shift()));
  const beside = join();
  // this report comes after everything that was sent to the window before
  opened.writeHead(200, { 'content-type': 'text/event-stream' });
  opened.write('id: 0:1\n\n');
  await eventually('a report', () => beside.some(({ is }) => is === 'live'));
  expect(beside.filter(({ is }) => is === 'signed-out')).toEqual([]);
});
