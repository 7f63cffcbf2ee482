// Kills the brokers of a launcher that died, however it died: the launcher's end of this pipe
// closes with it. Every line on the pipe is a process id that started (+) or ended (-). When the
// pipe ends, the warden kills what is left and deletes the data folder.
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const dir = String(process.argv[2]);
/** @type {Set<number>} */
const running = new Set();
// The warden exits after the launcher, never before it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) running.add(pid);
  else running.delete(pid);
}

for (const pid of running) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // already exited
  }
}
await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
