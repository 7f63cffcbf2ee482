import { teardown as consoleSample } from './console-sample.mjs';
import { teardown as kafka } from './kafka.mjs';
import { teardown as postgres } from './postgres.mjs';

export default async function teardown() {
  consoleSample();
  await Promise.all([postgres(), kafka()]);
}
