import { follow, type LiveReport, type StreamPosition } from './connection.js';

/**
 * One stream for all windows of a browser, because HTTP/1.1 gives a browser six connections. Each
 * window sends the address of the stream when it joins, and `leave` when it goes.
 */
interface Scope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
let stream: { stop(): void } | undefined;
let position: StreamPosition = { lastId: '' };
let last: LiveReport | undefined;

(globalThis as unknown as Scope).onconnect = ({ ports: [port] }) => {
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<{ join: string } | 'leave'>) => {
    if (data === 'leave') leave(port);
    else join(port, data.join);
  };
};

function join(port: MessagePort, url: string): void {
  ports.add(port);
  if (stream && last)
    port.postMessage(last.is === 'live' ? { ...last, at: position.lastId } : last);
  stream ??= followFrom((position = { lastId: '' }), url);
}

function followFrom(start: StreamPosition, url: string): { stop(): void } {
  last = undefined; // how the stream before ended is of another session
  const report = (each: LiveReport): void => {
    if (each.is !== 'event') last = each;
    if (each.is === 'signed-out') stream = undefined;
    for (const port of ports) port.postMessage(each);
  };
  return follow(url, report, start);
}

function leave(port: MessagePort): void {
  ports.delete(port);
  if (ports.size > 0) return;
  stream?.stop();
  stream = undefined;
  last = undefined;
}
