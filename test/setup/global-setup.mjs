import { setup as kafka } from './kafka.mjs';
import { setup as postgres } from './postgres.mjs';

export default async function setup() {
  await Promise.all([postgres(), kafka()]);
}
