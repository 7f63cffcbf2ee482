import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { hedged, within } from '#process';

/** How often a connection that waits for an answer looks whether any byte came. */
const LOOK_MS = 500;
/** At every so many looks at which nothing had come, another connection asks about the statement. */
const QUIET_LOOKS = 2;
/**
 * How long the server may take to say, on that other connection, whether it works on the statement.
 * With the looks before it, a connection to a silent server is closed 5 s after its last byte.
 */
const ASK_MS_MAX = 4000;
/** After so long the question is asked again on one more connection: the first may be lost. */
const ASK_AGAIN_MS = 2000;
/** The server answers a statement that it canceled, and has so much time for it. */
const CANCELED_MS_MAX = 5000;
/** How long the other side may take to close a connection that is no longer used. */
const END_MS_MAX = 1000;

/** The states of a session that works on no statement (PostgreSQL manual, pg_stat_activity). */
const RESTS = /^idle/;
const RESTING = 'its session works on no statement, and no answer came';

/**
 * Thrown to everybody who waits for an answer on a connection that was closed because nothing came.
 * Its code is the one that the network would use.
 */
class ServerSilent extends Error {
  override readonly name = 'ServerSilent';
  readonly code = 'ETIMEDOUT';

  constructor(why: string) {
    super(`the connection to PostgreSQL was closed: ${why}`);
  }
}

/**
 * A connection that does not wait for a server, or a way to it, that has gone silent.
 *
 * PostgreSQL sends nothing while it works on a statement, so silence alone does not show whether a
 * long statement is under way or the server is gone. While a connection waits in silence, it
 * therefore asks on another connection whether its session works on a statement. If so, it keeps
 * waiting, at most until `statement_timeout` and some seconds have passed. If the session is idle,
 * or no answer comes, it closes itself, and what waits on it rejects with `ServerSilent`.
 *
 * The time limit of node-postgres (`query_timeout`) rejects a query and leaves it in the
 * connection, which a pool hands out again: the next query waits behind the lost one. A closed
 * connection leaves every pool.
 */
export class BoundedClient extends pg.Client {
  /** The session's process, which PostgreSQL names at the start. */
  declare readonly processID: number | null;
  private looking: NodeJS.Timeout | undefined;
  private isWaiting = false;

  constructor(private readonly config: pg.ClientConfig = {}) {
    super(config);
    this.on('drain', () => (this.isWaiting = false));
    this.once('end', () => this.stopLooking());
    // A connection that breaks must not end the program. What waits on it rejects, and so does the
    // next query.
    this.on('error', () => undefined);
  }

  /** Queries as `pg.Client` does, and looks from now on whether anything comes. */
  override query(...asked: unknown[]): never {
    this.isWaiting = true;
    if (!this.isClosed) this.looking ??= this.startLooking();
    return super.query(...(asked as [text: string])) as never;
  }

  /** Ends as `pg.Client` does, and closes the connection if the other side does not. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const closeSoon = (): void => void setTimeout(() => this.close(), END_MS_MAX).unref();
    if (this.isWaiting && !this.isClosed) this.once('drain', closeSoon);
    else closeSoon();
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  private get isClosed(): boolean {
    return this.connection.stream.destroyed;
  }

  /** The number of bytes that have come. */
  private get heard(): number {
    return (this.connection.stream as { readonly bytesRead?: number }).bytesRead ?? 0;
  }

  private close(error?: Error): void {
    this.connection.stream.destroy(error);
  }

  private startLooking(): NodeJS.Timeout {
    let heard = this.heard;
    let quiet = 0;
    let isAsking = false;
    let suspicion: string | undefined;
    return setInterval(() => {
      if (this.isClosed || !this.isWaiting) return this.stopLooking();
      quiet = heard === this.heard ? quiet + 1 : 0;
      heard = this.heard;
      if (quiet === 0) suspicion = undefined;
      const isTime = quiet > 0 && quiet % QUIET_LOOKS === 0;
      if (isAsking || !(isTime || suspicion)) return;
      isAsking = true;
      const before = heard;
      void this.whyClose(quiet * LOOK_MS).then((why) => {
        isAsking = false;
        if (this.heard !== before || !this.isWaiting) return;
        // An answer may be on its way while the session rests already: that is asked twice.
        if (why !== undefined && (why === suspicion || why !== RESTING))
          this.close(new ServerSilent(why));
        suspicion = why;
      });
    }, LOOK_MS).unref(); // the connection itself keeps the program running
  }

  private stopLooking(): void {
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** Returns why nothing will come on this connection any more, or undefined if something may. */
  private async whyClose(quietMs: number): Promise<string | undefined> {
    const { statement_timeout: most } = this.config;
    if (most && quietMs > most + CANCELED_MS_MAX)
      return `no answer came within ${quietMs} ms, though a statement may take ${most} ms`;
    const rests = await hedged(() => this.askAboutSession(), {
      everyMs: ASK_AGAIN_MS,
      most: 2,
      discard: () => undefined,
    });
    // What has come meanwhile is read before it is judged that nothing came.
    await nextTurn();
    return rests;
  }

  /** Asks on a connection of its own. Returns why nothing will come. Never rejects. */
  private async askAboutSession(): Promise<string | undefined> {
    const other = new pg.Client({
      ...this.config,
      application_name: 'shoeprint looking',
      connectionTimeoutMillis: ASK_MS_MAX,
    });
    other.on('error', () => undefined); // the query rejects
    try {
      const { rows } = await within(ASK_MS_MAX, stateOf(other, this.processID));
      const state = rows.length === 0 ? 'gone' : rows[0]?.state;
      if (state === 'gone') return 'its session has ended';
      // A server that does not track what sessions do has no state to show.
      return state && RESTS.test(state) ? RESTING : undefined;
    } catch (error) {
      // A server that refuses, for example because it has no connection left, is there.
      return error instanceof pg.DatabaseError
        ? undefined
        : 'the server is silent and does not answer';
    } finally {
      other.connection.stream.destroy();
    }
  }
}

async function stateOf(
  client: pg.Client,
  session: number | null,
): Promise<pg.QueryResult<{ readonly state: string | null }>> {
  await client.connect();
  return client.query('select state from pg_stat_activity where pid = $1', [session]);
}
