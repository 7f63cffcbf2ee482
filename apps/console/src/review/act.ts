import type { paths } from '#api-types';
import { type Answers, answered, api, Refused } from '../api/client.js';
import { decided, decisionOf } from './decision.js';

/** The name of a command on a finding. */
export type Command = keyof NonNullable<Answers['ReviewWholeAnswer']['may']>;

type Post<Name extends Command> = paths[`/v1/findings/{id}/${Name}`]['post'];
/** What a command sends. */
export type BodyOf<Name extends Command> =
  Post<Name> extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body
    : Record<string, never>;

/** An act that took effect, with the review as it stands now. */
export type Taken = Pick<Answers['TakenActAnswer'], 'ref' | 'finding' | 'review' | 'at'>;

/** A command on one finding. The same key again has no second effect. */
export interface Sent<Name extends Command> {
  readonly command: Name;
  readonly finding: string;
  readonly body: BodyOf<Name>;
  readonly key: string;
}

const PATIENCE = { ms: 20_000 };

/**
 * Sends a command on a finding, again under its key where the outcome is not known, and returns
 * once it took effect. Throws `Refused` with the problem if it took none, and `Unreachable` if no
 * answer came. A command that is on the log and not decided about within 20 seconds is `Refused` as
 * `not-yet-visible`.
 */
export async function act<Name extends Command>(sent: Sent<Name>): Promise<Taken> {
  const { command, finding, body, key } = sent;
  const { data, response } = await decided(
    () =>
      answered<Answers['TakenActAnswer'] | Answers['PendingActAnswer']>(
        // each command has a body of its own, and openapi-fetch takes one path at a time
        api.POST(`/v1/findings/{id}/${command}` as '/v1/findings/{id}/comment', {
          params: { path: { id: finding }, header: { 'Idempotency-Key': key } },
          body: body as BodyOf<'comment'>,
        }),
      ),
    PATIENCE,
  );
  if (!data) throw new Error('the answer to a command is empty');
  if ('outcome' in data) return data;
  const shown = await decisionOf(data, response, PATIENCE);
  if (shown.outcome === 'taken') return shown;
  throw refusalOf(shown);
}

const refusalOf = ({ outcome, review }: Answers['ShownActAnswer']): Refused =>
  new Refused(409, {
    type: `urn:shoeprint:problem:${outcome}` as Answers['Problem']['type'],
    title: outcome,
    status: 409,
    review,
  });
