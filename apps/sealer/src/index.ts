export { startSealer, type RunningSealer, type StartSealer } from './start-sealer.js';
export { runSealCommand } from './commands/seal-command.js';
export { serveSealer } from './health.js';
export {
  sealerSettings,
  sealingSettings,
  type SealerSettings,
  type SealingSettings,
} from './settings.js';
