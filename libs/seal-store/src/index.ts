export { migrateSeal, SEALER_ROLE } from './database/seal-schema.js';
export { LeaseLost } from './writing/lease-lost.js';
export {
  SITE_TREE,
  type NewEntry,
  type NewStatement,
  type SiteTip,
} from './writing/site-entries.js';
export {
  OtherSite,
  SealStore,
  type Commit,
  type Lease,
  type Move,
  type PartitionStop,
  type SealPosition,
  type SealState,
  type TableTree,
} from './writing/seal-store.js';
export { GrowingTree } from './writing/growing-tree.js';
export { TreeGrowth } from './writing/growth.js';
export type { LogPosition } from './writing/positions.js';
export type { Cosignatures } from './writing/cosignatures.js';
export type { Outbox } from './writing/outbox.js';
export type { Mismatch, ReadingMarks, ReadingState } from './writing/reading-again.js';
export type { LeafCursor, StoredLeaf } from './reading/leaf-cursor.js';
export { HeadTree } from './reading/head-tree.js';
export { SealRequests } from './writing/requests.js';
export { LEAVES_MAX, NotSealed } from './reading/stored-leaves.js';
export {
  ENTRIES_MAX,
  headLeaf,
  SealReader,
  type HeadPath,
  type KeptCheckpoint,
  type StoredHead,
  type SealedSite,
  type SealedTable,
  type SiteEntry,
  type TreeName,
} from './reading/seal-reader.js';
export { KeyRefused, signerIn, signerOrNew, syncFolder, type KeyFile } from './keys/key-files.js';
export type { GrownRow, HeadSize, StoredSeals } from './reading/stored-seals.js';
