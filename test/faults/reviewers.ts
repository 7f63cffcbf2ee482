import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Review } from '#read-model';
import { eventually } from '../kit/eventually.js';
import type { Unanswered } from './load.js';
import type { System } from './system.js';

/** How many people review at the same time. */
const CLIENTS = 20;
const ROLES = ['pit-boss', 'surveillance', 'compliance'] as const;
/** For how many seconds a claim lasts that a client asks for by itself. */
const LEASE_S = 600;
/** Longest time that a client repeats one command. */
const PATIENCE_MS = 90_000;
/** Longest time in which so many commands take effect that the fault may strike. */
const MORE_MS_MAX = 300_000;
const REQUEST_MS_MAX = 15_000;
const AGAIN_MS = 100;
const IDLE_MS = 300;
/** The digest of no evidence. */
const NO_EVIDENCE = '0'.repeat(64);
/** How often a client proposes again under other evidence before it gives up its claim. */
const PROPOSALS_MAX = 5;

/** The share of times at which a client does something else than most people would. */
const SHARE = { twiceAtOnce: 0.1, claim: 0.25, release: 0.05, refuse: 0.1, own: 0.05 };
const happens = (share: number): boolean => Math.random() < share;

/** A command and its final answer. */
export interface Command {
  readonly who: string;
  /** The last part of its path. */
  readonly name: string;
  readonly key: string;
  readonly asked: number;
  readonly answered: number;
  readonly status: number;
  /** Its event, if the answer names it. */
  readonly ref: string | undefined;
  readonly finding: string | undefined;
  /**
   * The names of the problems that the apis answered it with. Where it was sent to two at once, one
   * may refuse it by its rows, and the other append it and learn of another reason.
   */
  readonly problems: readonly string[];
  /** The partition of the finding, if it was done. */
  readonly partition: number | undefined;
}

interface Body {
  readonly ref: string;
  readonly finding: string;
  readonly type: string;
  readonly review: Review;
}

interface Answer {
  readonly status: number | 'broken';
  readonly body: Partial<Body>;
  readonly position: string | null;
}

interface Proposal {
  readonly finding: string;
  readonly ref: string;
  readonly evidence: string;
  readonly by: string;
  /** Who cannot sign it. */
  readonly not: Set<string>;
}

interface Client {
  readonly who: string;
  readonly token: string;
  /** Findings that it holds, and whose coup was open when it proposed. */
  readonly open: string[];
}

let companies = 0;

/**
 * Twenty people who take findings, propose rulings and sign what others propose, each through
 * whichever api answers, and each command under one key until it is answered. Some send a command
 * to all apis at the same moment.
 */
export class Reviewers {
  /** Every command that was answered, in the order of the answers. */
  readonly commands: Command[] = [];
  readonly unanswered: Record<Unanswered | 202, number> = { 202: 0, 503: 0, 504: 0, broken: 0 };
  /** Times at which a command was first taken into the log after being asked for. */
  readonly recorded: { readonly asked: number; readonly answered: number }[] = [];
  private readonly keys = new Map<string, string>();
  private readonly proposals: Proposal[] = [];
  /** When each client last began a turn in which it found nothing to do. */
  private readonly idleFrom = new Map<string, number>();
  private lastDone = 0;
  private isEnding = false;
  private isAbandoned = false;
  private running: Promise<void>[] = [];

  private constructor(private readonly system: System) {}

  /** Begins to review everything that is found from now on. */
  static async start(system: System): Promise<Reviewers> {
    const company = (companies += 1);
    const people = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, nth): Promise<Client> => {
        const who = `reviewer-${company}-${nth}`;
        const token = await system.person(who, ROLES[nth % ROLES.length] as (typeof ROLES)[number]);
        return { who, token, open: [] };
      }),
    );
    const reviewers = new Reviewers(system);
    reviewers.running = people.map((client) => reviewers.review(client));
    for (const each of reviewers.running) each.catch(() => undefined); // `finished` rejects
    return reviewers;
  }

  /** Commands that took effect. */
  get done(): Command[] {
    return this.commands.filter(({ status }) => status === 200);
  }

  /** Resolves once this many more commands took effect. */
  async more(commands: number): Promise<void> {
    const from = this.done.length;
    const what = `${commands} more commands`;
    await Promise.race([
      eventually(what, () => this.done.length >= from + commands, MORE_MS_MAX),
      this.finishedAll().then(() => Promise.reject(new Error(`no ${what}: nothing is left`))),
    ]);
  }

  /** Resolves once nothing is left to take or to sign. The game must have ended. */
  async finished(): Promise<void> {
    this.lastDone = performance.now();
    this.isEnding = true;
    await this.finishedAll();
  }

  /** Stops all clients, because the round has failed. */
  async abandon(): Promise<void> {
    this.isAbandoned = true;
    await Promise.allSettled(this.running);
  }

  /** Returns whether an act, by its reference, is a command of one of them. */
  isTheirs(act: string): boolean {
    const [source = '', id = ''] = act.split('#');
    return this.keys.get(keyIn(id)) === source.slice('person/'.length);
  }

  private finishedAll = async (): Promise<void> => void (await Promise.all(this.running));

  private async review(client: Client): Promise<void> {
    while (!this.isOver) {
      const from = performance.now();
      await this.signAny(client);
      await this.takeAny(client);
      for (const finding of client.open.splice(0)) await this.propose(client, finding, undefined);
      if (this.lastDone > from) continue;
      this.idleFrom.set(client.who, from);
      await pause(IDLE_MS);
    }
  }

  /** Whether everybody found nothing to do since the game ended and the last command was done. */
  private get isOver(): boolean {
    if (this.isAbandoned) return true;
    const idle = [...this.idleFrom.values()].filter((from) => from > this.lastDone);
    return this.isEnding && idle.length === CLIENTS;
  }

  private async takeAny(client: Client): Promise<void> {
    const { body, status } = happens(SHARE.claim)
      ? await this.claimAny(client)
      : await this.send(client, 'take-next');
    if (status !== 200 || !body.review || body.finding === undefined) return;
    if (happens(SHARE.release)) {
      await this.send(client, `${body.finding}/release`);
      return;
    }
    const { state, proposal, evidence } = body.review;
    if (state === 'open') return this.propose(client, body.finding, evidence ?? undefined);
    const { ref = '' } = proposal ?? {};
    const { finding } = body;
    const problem = await this.sign(client, { finding, ref, evidence: evidence ?? '' });
    // It could not be signed, so that nobody could take it until the claim ends.
    if (problem !== undefined) await this.send(client, `${finding}/release`);
  }

  /** Claims one of the findings that wait, which others may take at the same moment. */
  private async claimAny(client: Client): Promise<Answer> {
    const { lines } = await this.waiting(client);
    const open = lines.filter(({ review }) => review.state !== 'ruled');
    const one = open[Math.floor(Math.random() * open.length)];
    if (!one) return this.send(client, 'take-next');
    return this.send(client, `${one.id}/claim`, { lease: LEASE_S });
  }

  /** Proposes a ruling, under the evidence that the answer names if it is another. */
  private async propose(client: Client, finding: string, known: string | undefined): Promise<void> {
    let evidence = known ?? NO_EVIDENCE;
    for (let tries = 0; tries < PROPOSALS_MAX; tries += 1) {
      const { status, body } = await this.send(client, `${finding}/propose`, {
        ...(happens(0.5)
          ? { disposition: 'dealer-error-corrected' }
          : { disposition: 'no-error', note: 'seen on video' }),
        policy: 'review@1',
        evidence,
      });
      const problem = problemOf(body);
      if (problem === 'coup-open') {
        client.open.push(finding);
        return;
      }
      if (status === 200 && body.review?.state === 'proposed')
        this.proposals.push({
          ...{ finding, ref: body.ref as string, evidence, by: client.who },
          not: new Set(),
        });
      if (problem !== 'evidence-changed') return;
      evidence = body.review?.evidence ?? NO_EVIDENCE;
    }
    await this.send(client, `${finding}/release`);
  }

  private async signAny(client: Client): Promise<void> {
    const { who } = client;
    const fitting = this.proposals.filter(
      ({ by, not }) => !not.has(who) && (by !== who || happens(SHARE.own)),
    );
    const proposal = fitting[Math.floor(Math.random() * fitting.length)];
    if (!proposal) return;
    const problem = await this.sign(client, proposal);
    if (problem === 'claimed-by-another') return;
    if (problem === 'same-person' || problem === 'conflict-of-interest') proposal.not.add(who);
    else if (this.proposals.includes(proposal))
      this.proposals.splice(this.proposals.indexOf(proposal), 1);
  }

  /** Signs or refuses what was proposed, and resolves with the problem if it has no effect. */
  private async sign(
    client: Client,
    { finding, ref, evidence }: Pick<Proposal, 'finding' | 'ref' | 'evidence'>,
  ): Promise<string | undefined> {
    const { body } = happens(SHARE.refuse)
      ? await this.send(client, `${finding}/refuse`, { proposal: ref, reason: 'look again' })
      : await this.send(client, `${finding}/sign`, { proposal: ref, evidence });
    return problemOf(body);
  }

  private async waiting(
    client: Client,
  ): Promise<{ readonly lines: readonly { readonly id: string; readonly review: Review }[] }> {
    return this.untilAnswered(async (url) => {
      const { status, body } = await asked(url, '/v1/findings?limit=40', client.token);
      return { status, body: body as never };
    }).then(({ body }) => body);
  }

  /** Sends a command until it is answered, under one key. */
  private async send(client: Client, path: string, body: object = {}): Promise<Answer> {
    const key = randomUUID();
    this.keys.set(key, client.who);
    const begun = performance.now();
    const isTwice = happens(SHARE.twiceAtOnce);
    const post = (url: string): Promise<Answer> =>
      asked(url, `/v1/findings/${path}`, client.token, { key, body });
    let all: readonly Answer[] = [];
    const answer = await this.untilAnswered(async (url) => {
      all = await Promise.all((isTwice ? this.system.urls : [url]).map(post));
      return all.find(({ status }) => status === 200) ?? (all[0] as Answer);
    });
    const { status, body: told, position } = answer;
    if (status === 200) this.lastDone = performance.now();
    this.commands.push({
      ...{ who: client.who, name: path.split('/').at(-1) as string, key, asked: begun },
      ...{ answered: performance.now(), status: status as number, ref: told.ref },
      finding: told.finding ?? (path.includes('/') ? path.split('/')[0] : undefined),
      problems: all.map(({ body: each }) => problemOf(each)).filter((each) => each !== undefined),
      partition: position === null ? undefined : Number(position.split(':')[0]),
    });
    return answer;
  }

  /** Asks one api after another until one answers for good. */
  private async untilAnswered<Answered extends Pick<Answer, 'status' | 'body'>>(
    ask: (url: string) => Promise<Answered>,
  ): Promise<Answered> {
    const { urls } = this.system;
    const begun = performance.now();
    for (let attempt = Math.floor(Math.random() * urls.length); ; attempt += 1) {
      const from = performance.now();
      if (this.isAbandoned || from > begun + PATIENCE_MS)
        throw new Error(`no answer for ${PATIENCE_MS} ms, or the round has failed`);
      const answer = await ask(urls[attempt % urls.length] as string);
      const { status, body } = answer;
      if (status === 200 || status === 202)
        this.recorded.push({ asked: from, answered: performance.now() });
      if (FINAL.includes(status)) return answer;
      if (status !== 429 && !(status in this.unanswered))
        throw new Error(
          `a command was answered ${status} ${JSON.stringify(body)}\n${this.system.lastWords()}`,
        );
      if (status !== 429) this.unanswered[status as Unanswered | 202] += 1;
      await pause(AGAIN_MS);
    }
  }
}

/** The answers after which a client goes on. It repeats its command after any other. */
const FINAL: readonly Answer['status'][] = [200, 204, 403, 409, 422];

/** Returns the key in the id of an act. */
export const keyIn = (id: string): string => id.split('/').at(-1) as string;

const problemOf = ({ type }: Partial<Body>): string | undefined =>
  type?.startsWith('urn:') ? type.split(':').at(-1) : undefined;

/** Sends a request, as a command if it has a key. */
async function asked(
  url: string,
  path: string,
  token: string,
  command?: { readonly key: string; readonly body: object },
): Promise<Answer> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method: command ? 'POST' : 'GET',
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
      headers: {
        authorization: `Bearer ${token}`,
        ...(command && { 'content-type': 'application/json', 'idempotency-key': command.key }),
      },
      ...(command && { body: JSON.stringify(command.body) }),
    });
    const text = await answer.text();
    const position = answer.headers.get('log-position');
    return {
      status: answer.status,
      body: text === '' ? {} : (JSON.parse(text) as object),
      position,
    };
  } catch {
    return { status: 'broken', body: {}, position: null };
  }
}
