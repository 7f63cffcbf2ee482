export { spoolStatus } from './ask.js';
export type { DamageAside } from './aside.js';
export type { ReadLimits, SpoolContents } from './delivery.js';
export type { SpoolFrame, SpoolLine } from './line.js';
export { openSpool, type SpoolOptions } from './open-spool.js';
export type { SpoolNotice, SpoolOwner } from './owner.js';
export { SpoolFull, SpoolHeld, SpoolRefused } from './refusals.js';
export type { SpoolSettings } from './settings.js';
export type { Spool, SpoolFigures } from './spool.js';
