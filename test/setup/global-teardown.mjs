import { teardown as kafka } from './kafka.mjs';
import { teardown as postgres } from './postgres.mjs';

export default async function teardown() {
  await Promise.all([postgres(), kafka()]);
}
