export {
  startAuditor,
  LEASE_MS,
  type AuditorStats,
  type RunningAuditor,
  type StartAuditor,
} from './start-auditor.js';
export { auditorProbes } from './health.js';
export { warmUp } from './fold/warm-up.js';
export { auditorSettings, type AuditorSettings } from './settings.js';
export {
  rebuildRows,
  type RebuildProgress,
  type RebuildReport,
  type RebuildRows,
} from './rebuild.js';
export {
  REBUILD_EXIT,
  runRebuild,
  rebuildOptions,
  type RebuildOptions,
} from './rebuild-command.js';
