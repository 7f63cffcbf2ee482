import type { paths } from '#api-types';
import { type Answers, answered, api, dataOf, Refused, Unreachable } from '../api/client.js';

/** The name of a command on a finding. */
export type Command = keyof NonNullable<Answers['ReviewWholeAnswer']['may']>;

type Post<Name extends Command> = paths[`/v1/findings/{id}/${Name}`]['post'];
/** What a command sends. */
export type BodyOf<Name extends Command> =
  Post<Name> extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body
    : Record<string, never>;

/** An act that took effect, with the review as it stands now. */
export type Taken = Pick<Answers['TakenActAnswer'], 'ref' | 'finding' | 'review'>;

/** A command on one finding. The same key again has no second effect. */
export interface Sent<Name extends Command> {
  readonly command: Name;
  readonly finding: string;
  readonly body: BodyOf<Name>;
  readonly key: string;
}

/**
 * Sends a command on a finding and returns once it took effect. Throws what `settled` throws.
 */
export const act = <Name extends Command>({ command, finding, body, key }: Sent<Name>) =>
  settled(() =>
    // each command has a body of its own, and openapi-fetch takes one path at a time
    api.POST(`/v1/findings/{id}/${command}` as '/v1/findings/{id}/comment', {
      params: { path: { id: finding }, header: { 'Idempotency-Key': key } },
      body: body as BodyOf<'comment'>,
    }),
  );

type Answer = Promise<{
  readonly data?: Answers['TakenActAnswer'] | Answers['PendingActAnswer'];
  readonly error?: unknown;
  readonly response: Response;
}>;

const TRIES_MAX = 4;
const AGAIN_MS = 1_000;
const LOOKS_MAX = 8;
/** Refusals that decide nothing: the same may be sent again under the same key. */
const AGAIN: readonly string[] = ['outcome-unknown', 'not-recorded', 'too-many-requests'];

/** Returns whether the server may still take a command that failed so. Send it under its key. */
export const isUndecided = (error: unknown): boolean =>
  mayComeAgain(error) || (error instanceof Refused && error.is === 'not-yet-visible');

/**
 * Sends a command, again under its key where the outcome is not known, and waits until it is
 * decided. Throws `Refused` with the problem if it took no effect, and `Unreachable` if no answer
 * came four times. A command that is on the log and not decided about within about 20 seconds is
 * `Refused` as `not-yet-visible`.
 */
async function settled(post: () => Answer): Promise<Taken> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { data, response } = await answered(post());
      return data && 'outcome' in data ? data : await decided(data, response);
    } catch (error) {
      if (tries === TRIES_MAX || !mayComeAgain(error)) throw error;
      await pause(AGAIN_MS * tries);
    }
  }
}

const mayComeAgain = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Refused && AGAIN.includes(error.is));

/** Waits for the decision about an act that is on the log. */
async function decided(
  pending: Answers['PendingActAnswer'] | undefined,
  { headers }: Response,
): Promise<Taken> {
  if (!pending) throw new Unreachable('the answer to a command is empty');
  const { ref, table } = pending;
  const position = headers.get('Log-Position');
  for (let looks = 1; ; looks += 1) {
    try {
      const shown = await dataOf(
        api.GET('/v1/review-events/{ref}', {
          params: {
            path: { ref },
            query: { table },
            header: position === null ? {} : { 'Min-Position': position },
          },
        }),
      );
      if (shown.outcome === 'taken') return shown;
      throw refusalOf(shown);
    } catch (error) {
      const isLate = error instanceof Refused && error.is === 'not-yet-visible';
      if (looks === LOOKS_MAX || !(isLate || error instanceof Unreachable)) throw error;
      await pause(AGAIN_MS / 2);
    }
  }
}

const refusalOf = ({ outcome, review }: Answers['ShownActAnswer']): Refused =>
  new Refused(409, {
    type: `urn:shoeprint:problem:${outcome}` as Answers['Problem']['type'],
    title: outcome,
    status: 409,
    review,
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
