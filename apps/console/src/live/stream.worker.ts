import { follow, type LiveReport } from './connection.js';

/**
 * One stream for all windows of a browser, because HTTP/1.1 gives a browser six connections. Each
 * window sends the address of the stream when it joins, and `leave` when it goes.
 */
interface Scope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
let stream: { stop(): void } | undefined;
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
  if (stream && last) port.postMessage(last);
  stream ??= follow(url, (report) => {
    if (report.is !== 'event') last = report;
    if (report.is === 'signed-out') stream = undefined;
    for (const each of ports) each.postMessage(report);
  });
}

function leave(port: MessagePort): void {
  ports.delete(port);
  if (ports.size > 0) return;
  stream?.stop();
  stream = undefined;
  last = undefined;
}
