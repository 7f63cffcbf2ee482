import { fullName } from '#audit';
import type { ExpectedEvent } from '#devices';

/** The names that the events of an emulated device have. */
export interface ExpectedLines {
  readonly table: string;
  /** The name of the device. Its source is `device/` and this name. */
  readonly device: string;
}

/**
 * Returns the lines of `--expect`: events in their canonical order of members, without those that
 * are not known beforehand (docs/integrating/emulator.md).
 */
export const expectedLines = (
  events: readonly ExpectedEvent[],
  { table, device }: ExpectedLines,
): readonly string[] =>
  events.map(({ type, shoe, session, sequence, data }) =>
    JSON.stringify({
      specversion: '1.0',
      type: fullName(type),
      source: `device/${device}`,
      id: session === undefined ? undefined : `${device}/${session}/${sequence ?? 0}`,
      ...{ table, shoe, session, sequence, data },
    }),
  );
