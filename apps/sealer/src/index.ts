export { startSealer, type RunningSealer, type StartSealer } from './start-sealer.js';
export { runSealCommand, SEAL_FAULT_EXIT } from './commands/seal-command.js';
export { houseAppending, type HouseEvent } from './monitoring/house-events.js';
export { sealerProbes } from './health.js';
export {
  sealerSettings,
  sealingSettings,
  type SealerSettings,
  type SealingSettings,
} from './settings.js';
