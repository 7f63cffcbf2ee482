import { setup as consoleSample } from './console-sample.mjs';
import { setup as kafka } from './kafka.mjs';
import { setup as postgres } from './postgres.mjs';

export default async function setup() {
  consoleSample();
  await Promise.all([postgres(), kafka()]);
}
