import type { ExpectedEvent } from '#devices';

/** An event that a gateway delivered, or its line in the file of `--expect`. */
export interface Delivered {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** One event too many or too few makes all that follow differ. */
const SHOWN_MAX = 5;

/**
 * Returns how delivered events of a device differ from those that `--expect` names, as
 * docs/integrating/emulator.md says: in the same order, each with all members that are expected.
 * What a gateway reports about its own hearing is set aside, but no loss may stay unreported.
 */
export function differences(
  expected: readonly (Delivered | ExpectedEvent)[],
  delivered: readonly Delivered[],
): readonly string[] {
  const [lostExpected, lostDelivered] = [expected.filter(isLoss), delivered.filter(isLoss)];
  const [due, came] = [expected, delivered].map((events) =>
    events.filter((event) => !isLoss(event) && !event.type.includes('device-offline')),
  ) as [Delivered[], Delivered[]];
  const wrong = due.flatMap((event, at) =>
    has(came[at], event)
      ? []
      : [`event ${at + 1}: ${JSON.stringify(came[at])} is not ${JSON.stringify(event)}`],
  );
  wrong.splice(SHOWN_MAX);
  if (came.length > due.length) wrong.push(`${came.length - due.length} events too many`);
  if (lostDelivered.length < lostExpected.length)
    wrong.push(`${lostExpected.length} losses, and ${lostDelivered.length} of them reported`);
  return wrong;
}

const isLoss = ({ type, data }: Pick<Delivered, 'type' | 'data'>): boolean =>
  type.includes('device-error') && data.code === 'frame-lost';

/** Returns whether a value has everything that is expected of it. */
function has(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected))
    return JSON.stringify(value) === JSON.stringify(expected);
  return Object.entries(expected).every(([name, each]) =>
    has((value as Record<string, unknown> | undefined)?.[name], each),
  );
}
