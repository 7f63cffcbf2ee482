import chromium from '@sparticuz/chromium';
import { setup as consoleSample } from './console-sample.mjs';
import { setup as kafka } from './kafka.mjs';
import { setup as postgres } from './postgres.mjs';

export default async function setup() {
  // The pure libraries need no server.
  if (process.env.SHOEPRINT_TEST_QUICK !== undefined) return;
  consoleSample();
  // Chromium unpacks itself into one folder. Two test processes would run each other's half file.
  await Promise.all([postgres(), kafka(), chromium.executablePath()]);
}
