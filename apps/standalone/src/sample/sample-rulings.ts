import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { sessionWithoutPassword } from '#api';
import type { CoupWhole, FindingLine, Page } from '#read-model';
import type { SampleClient } from './sample-client.js';
import { SUPERVISOR } from './sample-people.js';

/** A declaration of the sample day, as its line has it. */
export interface Declared {
  readonly source: string;
  readonly id: string;
  readonly time: string;
  readonly table: string;
  readonly data: { readonly outcome: string };
}

/** What the people of the floor need to know of the day. */
export interface SampleDayDealt {
  /** The review policy in force. */
  readonly policy: string;
  /** The positions at which the rows have the whole day. */
  readonly at: string;
  /** The last outcome that was declared at a table whose last shoe has no findings. */
  readonly declared: Declared;
  /** The last shoe of each table. */
  readonly lastShoes: ReadonlyMap<string, string>;
}

/**
 * Lets the people of the sample floor review findings, so that every state is there to be looked
 * at: open, claimed, proposed, ruled by one and by two persons, refused, escalated, regressed and
 * withdrawn. The findings of the last shoes stay open. The supervisor looks again at the coup of
 * the one at `LOOKED_AT`, and so may not rule on it.
 */
export async function ruleOnSampleDay(
  app: NestFastifyApplication,
  client: SampleClient,
  { policy, at, declared, lastShoes }: SampleDayDealt,
): Promise<void> {
  const floor = new SampleFloor(app, client, policy);
  const { grave, light, last } = await floor.findings(at, lastShoes);
  const [waits, ruled, refused, reopened, claimed, escalated] = grave as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await floor.propose(waits, 'dealer-error-uncorrected');
  await floor.sign(ruled, await floor.propose(ruled, 'dealer-error-uncorrected'));
  const proposal = await floor.propose(refused, 'procedure-breach');
  const reason = 'The video shows no breach';
  await floor.act('pit-boss-2', 'refuse', refused, { proposal: proposal.ref, reason });
  const signed = await floor.sign(reopened, await floor.propose(reopened, 'procedure-breach'));
  const ruling = { ruling: signed.ref, reason: 'The dealer names a witness' };
  await floor.act('compliance', 'reopen', reopened, ruling);
  await floor.act('surveillance', 'claim', claimed, { lease: 3600 });
  await floor.act('surveillance', 'comment', claimed, { text: 'Camera 3 shows the whole layout' });
  const to = { to: 'compliance', reason: 'The third of its kind today' };
  await floor.act('pit-boss', 'escalate', escalated, to);
  await floor.propose(light, 'procedure-breach');
  await floor.correctInError(declared);
  await floor.lookAgain(last, declared.time);
  await floor.leave();
}

/** A ruling that was proposed: the reference of its event, and the evidence that it rests on. */
interface Proposed {
  readonly ref: string;
  readonly evidence: string;
}
interface Acted {
  readonly ref: string;
  readonly review: { readonly evidence: string };
}

/** A correction of the supervisor. Its time is the same if it is sent again. */
interface Correction {
  readonly id: string;
  readonly table: string;
  readonly time: string;
  readonly data: object;
}

/** The table at which the supervisor is involved in the finding of the last shoe. */
const LOOKED_AT = 'B04';

/** The people of the sample floor at work. */
class SampleFloor {
  private readonly tokens = new Map<string, string>();

  constructor(
    private readonly app: NestFastifyApplication,
    private readonly client: SampleClient,
    private readonly policy: string,
  ) {}

  /**
   * Returns the ids of grave findings and of one that one person may rule on, and the finding of
   * the last shoe at `LOOKED_AT`.
   */
  async findings(
    at: string,
    lastShoes: ReadonlyMap<string, string>,
  ): Promise<{ readonly grave: string[]; readonly light: string; readonly last: FindingLine }> {
    const path = '/v1/findings?limit=1000';
    const asked = { token: await this.token('compliance'), 'min-position': at };
    const { lines } = await this.client.ask<Page<FindingLine>>('GET', path, asked);
    const inOrder = [...lines].sort((a, b) => (a.id < b.id ? -1 : 1));
    const isOfLast = ({ table, shoe }: FindingLine): boolean => lastShoes.get(table) === shoe;
    const earlier = inOrder.filter((line) => !isOfLast(line));
    const grave = earlier.filter(({ severity }) => severity === 1);
    const light = earlier.find(({ severity, impact }) => severity === 3 && !impact);
    const last = inOrder.find((line) => line.table === LOOKED_AT && isOfLast(line));
    if (!light || !last)
      throw new Error('the sample day does not have the findings that it should');
    return { grave: grave.map(({ id }) => id), light: light.id, last };
  }

  /** Claims a finding and proposes a ruling on it, as the first pit boss. */
  async propose(finding: string, disposition: string): Promise<Proposed> {
    const { review } = await this.act('pit-boss', 'claim', finding, { lease: 600 });
    const { evidence } = review;
    const note = 'Seen on the video';
    const body = { disposition, policy: this.policy, evidence, note };
    const { ref } = await this.act('pit-boss', 'propose', finding, body);
    return { ref, evidence };
  }

  /** Signs a proposal, as the second pit boss. */
  sign(finding: string, { ref, evidence }: Proposed): Promise<Acted> {
    return this.act('pit-boss-2', 'sign', finding, { proposal: ref, evidence });
  }

  async act(name: string, command: string, finding: string, body: object): Promise<Acted> {
    const token = await this.token(name, finding);
    const asked = { token, body, 'idempotency-key': 'sample-day' };
    return this.client.ask<Acted>('POST', `/v1/findings/${finding}/${command}`, asked);
  }

  /** Corrects a declared outcome in error, and corrects it back: its finding is withdrawn. */
  async correctInError({ source, id, time, table, data }: Declared): Promise<void> {
    const event = `${source}#${id}`;
    const wrong = { ...data, outcome: data.outcome === 'tie' ? 'banker' : 'tie' };
    const heard = { event, data: wrong, reason: 'heard otherwise' };
    await this.correct({ id: 'in-error', table, time, data: heard });
    const seen = { event, data, reason: 'the video shows the call' };
    await this.correct({ id: 'back', table, time, data: seen });
  }

  /** Confirms the first card of a coup in which something was found, as the supervisor. */
  async lookAgain({ table, coupRef }: FindingLine, time: string): Promise<void> {
    const path = `/v1/coups/${encodeURIComponent(coupRef ?? '')}`;
    const coup = await this.client.ask<CoupWhole>('GET', path, {
      token: await this.token('compliance'),
    });
    const [first] = coup.steps;
    if (!first) throw new Error(`the coup ${coupRef} has no cards`);
    const card = { card: first.card, to: first.to };
    const data = { event: first.ref, data: card, reason: 'checked on the video' };
    await this.correct({ id: 'again', table, time, data });
  }

  /** Ends the sessions of everybody. */
  async leave(): Promise<void> {
    for (const token of this.tokens.values())
      await this.client.ask('POST', '/v1/sign-out', { token });
  }

  private async correct({ id, table, time, data }: Correction): Promise<void> {
    const event = {
      ...{ specversion: '1.0', type: 'shoeprint.observation-corrected.v1' },
      ...{ source: `person/${SUPERVISOR}`, id: `sample-day-${id}`, time, table },
      data: { ...data, by: SUPERVISOR },
    };
    await this.client.record(await this.token('supervisor'), Buffer.from(JSON.stringify(event)));
  }

  /** Returns a session of a person. A day's acts in one session would be faster than its pace. */
  private async token(name: string, finding = ''): Promise<string> {
    const key = `${name} ${finding}`;
    const token = this.tokens.get(key) ?? (await sessionWithoutPassword(this.app, name));
    this.tokens.set(key, token);
    return token;
  }
}
