// Loaded into a program that a test starts (test/kit/processes.ts): adds the milliseconds in the
// file TEST_CLOCK to the time of day, from SIGUSR2 on. Timers and performance.now() go on as they
// are, as on a machine whose clock is set.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offsetMs = 0;
const now = () => RealDate.now() + offsetMs;

const SteppedDate = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
RealDate.prototype.constructor = SteppedDate;
globalThis.Date = SteppedDate;

process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(String(process.env.TEST_CLOCK), 'utf8'));
});
