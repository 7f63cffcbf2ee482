import { beforeAll, describe, expect, it } from '@jest/globals';
import { faultyCoup, ReviewedTable } from '../kit/reviewed-table.js';
import type { Sent } from '../kit/audit.js';
import { audited, built, file, lines, shoeprint, type Audited } from './shoeprint.js';

beforeAll(built);

type Review = Audited['reviews'][number];

/** A shoe with one faulty coup, ruled by pia and sam after two attempts that the rules refuse. */
function ruled(table = new ReviewedTable()): ReviewedTable {
  table.play((log) => {
    log.open();
    log.dealer('dora');
    faultyCoup(log);
  });
  table.claim('pia', 'TC-08');
  table.propose('pia', 'TC-08', { note: 'the dealer misread the tableau' });
  table.sign('pia', 'TC-08');
  table.sign('dora', 'TC-08');
  table.sign('sam', 'TC-08');
  return table;
}

const auditOf = (name: string, events: readonly unknown[]): Audited =>
  audited(file(name, lines(events)));
const PROPOSAL = { disposition: 'no-error', policy: 'review@1', evidence: '0'.repeat(64) };
const outcomes = ({ events }: Review): string[] =>
  events.map(({ type, by, outcome }) => `${by} ${type.replace('finding-', '')}: ${outcome}`);

describe('shoeprint audit of a log with reviews', () => {
  it('says under the finding who decided what, and which acts took no effect, and why', () => {
    const { stdout, code } = shoeprint(['audit', file('ruled.ndjson', lines(ruled().events))]);
    expect(code).toBe(1);
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).toContain('review ruled: dealer-error-corrected, proposed by pia, signed by sam');
    expect(text).toContain('refused ruling-signed by pia: same-person');
    expect(text).toContain('refused ruling-signed by dora: conflict-of-interest');
  });

  it('lists each review with its acts for programs', () => {
    const table = ruled();
    const [review] = auditOf('ruled.ndjson', table.events).reviews as [Review];
    const { ruling, evidence } = table.item('TC-08');
    const { events: _, ...rest } = review;
    expect(rest).toEqual({
      ...{ finding: table.finding('TC-08'), state: 'ruled', evidence: evidence },
      ...{ disposition: 'dealer-error-corrected', proposedBy: 'pia', signedBy: 'sam' },
      ...{ regressed: false, touched: false },
    });
    expect(outcomes(review)).toEqual([
      'pia claimed: taken',
      'pia ruling-proposed: taken',
      'pia ruling-signed: same-person',
      'dora ruling-signed: conflict-of-interest',
      'sam ruling-signed: taken',
    ]);
    expect(review.events.at(-1)?.ref).toBe(ruling?.ref);
  });

  it('refuses a ruling if one character of its coup was changed after it', () => {
    const changed = ruled().events.map(
      (event) =>
        JSON.parse(JSON.stringify(event).replace('"amount":10000', '"amount":10001')) as Sent,
    );
    const [review] = auditOf('changed.ndjson', changed).reviews as [Review];
    expect(review.state).toBe('open');
    expect(outcomes(review)[1]).toBe('pia ruling-proposed: evidence-changed');
  });

  it('refuses it as out of reach if the change undoes the finding', () => {
    const changed = ruled().events.map(
      (event) => JSON.parse(JSON.stringify(event).replace('"card":"5C"', '"card":"6C"')) as Sent,
    );
    const { findings, reviews } = auditOf('undone.ndjson', changed);
    expect(findings.map(({ code }) => code)).not.toContain('TC-08');
    expect(reviews[0]).toMatchObject({ state: null });
    expect(outcomes(reviews[0] as Review)[0]).toBe('pia claimed: out-of-reach');
    const { stdout } = shoeprint(['audit', file('undone.ndjson', lines(changed))]);
    expect(stdout).toContain('Reviews of findings that do not stand');
  });

  it('comes to the same ruling without the reviews of other findings, and to none without its own', () => {
    const table = ruled();
    table.play((log) => log.draw('P 9S')); // a card outside any coup
    table.claim('vera', 'DL-15');
    const own = auditOf('all.ndjson', table.events).reviews[0];
    const alone = table.events.filter(({ data }) => {
      const { finding } = data as { finding?: string };
      return finding === undefined || finding === own?.finding;
    });
    expect(auditOf('alone.ndjson', alone).reviews).toEqual([own]);
    const game = table.events.filter(({ type }) => !(type as string).includes('.finding-'));
    const { reviews, findings } = auditOf('game.ndjson', game);
    expect(reviews).toEqual([]);
    expect(findings).toEqual(auditOf('all.ndjson', table.events).findings);
  });

  it('is the same with several threads', () => {
    const name = file('both.ndjson', lines([...ruled().events, ...otherTable()]));
    const one = shoeprint(['audit', '--json', name]).stdout;
    expect(shoeprint(['audit', '--json', '--workers', '2', name]).stdout).toBe(one);
    expect((JSON.parse(one) as Audited).reviews).toHaveLength(2);
  });

  it.each([
    ['a lease of 59 seconds', { type: 'finding-claimed', data: { lease: 59 } }, '/data/lease'],
    ['a lease of 3,601 seconds', { type: 'finding-claimed', data: { lease: 3601 } }, '/data/lease'],
    [
      'a text of 4,001 characters',
      { type: 'finding-commented', data: { text: 'x'.repeat(4001) } },
      '/data/text',
    ],
    [
      'a policy that is not installed',
      { type: 'finding-ruling-proposed', data: { ...PROPOSAL, policy: 'review@99' } },
      '/data/policy',
    ],
    [
      'a disposition that nobody knows',
      { type: 'finding-ruling-proposed', data: { ...PROPOSAL, disposition: 'shrug' } },
      '/data/disposition',
    ],
    [
      'evidence that is not a SHA-256',
      { type: 'finding-ruling-proposed', data: { ...PROPOSAL, evidence: 'abc' } },
      '/data/evidence',
    ],
    ['a device as its source', { type: 'finding-viewed', source: 'device/x', data: {} }, '/source'],
    ['a shoe', { type: 'finding-viewed', shoe: 'S1', data: {} }, '/shoe'],
  ])('refuses a file in which an act has %s, by its field', (_, act, pointer) => {
    const { type, data, ...attributes } = act as { type: string; data: object };
    const event = {
      ...{ specversion: '1.0', type: `shoeprint.${type}.v1`, source: 'person/pia', id: '1' },
      ...{
        time: '2026-11-20T12:00:00Z',
        table: 'T1',
        data: { finding: 'f', as: 'pit-boss', ...data },
      },
      ...attributes,
    };
    const { code, stdout, stderr } = shoeprint(['audit', file('act.ndjson', lines([event]))]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(pointer);
  });
});

/** The same at another table. */
function otherTable(): readonly Sent[] {
  const table = new ReviewedTable('T2');
  return ruled(table).events;
}
