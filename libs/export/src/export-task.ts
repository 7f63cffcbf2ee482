import { constants } from 'node:os';
import type { LaneSetting } from '#audit';
import type { LogSettings } from '#event-log';
import type { PackageStatement } from '#evidence';
import type { KeyFile } from '#seal-store';
import type { ExportAsked } from './asked.js';
import type { MadePackage, PackageStep } from './make-package.js';
import type { ExportCode } from './refusal.js';

/** All that a process of its own needs to make a package. It can be sent as JSON. */
export interface ExportTask {
  readonly asked: ExportAsked;
  readonly log: LogSettings;
  /** The database of the rows and of what was sealed. */
  readonly databaseUrl: string;
  /** Folders of rule documents beside the published ones. */
  readonly rules: readonly string[];
  readonly gamingDays: PackageStatement['gamingDays'];
  /** How lines are folded; default `on`. */
  readonly lanes?: LaneSetting;
  /** The file of the exports key. */
  readonly key: KeyFile;
  /** The zip file to make, and a folder for work. */
  readonly file: string;
  readonly work: string;
}

/** What is done of an export, in order. */
export type ExportStep = 'sealing' | PackageStep;

/**
 * What is said of a package while it is made. The last word is `made` or `refused`. `settings`: its
 * key or its log cannot be used as the settings name them.
 */
export type ExportWord =
  | { readonly is: 'step'; readonly step: ExportStep; readonly share?: number | undefined }
  | { readonly is: 'made'; readonly made: MadePackage }
  | { readonly is: 'refused'; readonly code: ExportCode | 'settings'; readonly message: string };

/**
 * What a process of its own says that makes a package for a server. Its last word may also be
 * `away`: the log or the database cannot be reached for now.
 */
export type ExporterWord = ExportWord | { readonly is: 'away'; readonly message: string };

/** How a process that makes a package for a server is started, so that it takes little from it. */
export const EXPORTER_START = {
  flags: [
    '--enable-source-maps',
    // a package of millions of records is made in less than half of this
    '--max-old-space-size=400',
    // the collector's helpers cost processor time that live play needs
    '--single-threaded-gc',
  ],
  /** Not the lowest, with which a package hardly gets on where all processors are busy. */
  priority: constants.priority.PRIORITY_BELOW_NORMAL,
} as const;
