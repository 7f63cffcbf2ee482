// Ends the brokers of a launcher that died, however it died: its end of this pipe closes with it. Every line on the pipe is
// a process id that began (+) or ended (-). What is left when the pipe ends is killed, and the data folder taken away.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const dir = String(process.argv[2]);
/** @type {Set<number>} */
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined); // it ends with the launcher, not before

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) running.add(pid);
  else running.delete(pid);
}

for (const pid of running) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone by itself
  }
}
await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
