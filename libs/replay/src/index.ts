export { packageReplay, type ReplayParts } from './package-replay.js';
