import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { ownMetrics, processMetrics } from './metric-names.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook: string;
  };
}

const FILE = 'deploy/alerts/shoeprint.rules.yml';
const { groups, ...others } = parse(readFileSync(FILE, 'utf8')) as {
  groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** The metrics of Prometheus itself and of the machine's exporter. */
const FOREIGN = ['up', 'node_filesystem_avail_bytes', 'node_filesystem_size_bytes'];

/** Returns the metrics in an expression, and its syntax errors. */
function reading(expr: string): { readonly metrics: string[]; readonly errors: number[] } {
  const metrics: string[] = [];
  const errors: number[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) errors.push(from);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector')
        metrics.push(expr.slice(from, to));
    },
  });
  return { metrics, errors };
}

describe('the alert rules', () => {
  it('have the form that Prometheus reads, with each name once', () => {
    expect(others).toEqual({});
    for (const rule of rules) {
      expect(
        Object.keys(rule).filter(
          (key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key),
        ),
      ).toEqual([]);
      expect(rule.alert).toMatch(/^Shoeprint[A-Z][A-Za-z]+$/);
      expect(rule.for ?? '0s').toMatch(/^\d+[smh]$/);
      expect(rule.labels.severity).toMatch(/^(page|ticket)$/);
      expect(rule.annotations.summary.length).toBeGreaterThan(10);
      expect(rule.annotations.description.length).toBeGreaterThan(20);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });

  it('are valid PromQL expressions', () => {
    for (const { alert, expr } of rules)
      expect({ alert, errors: reading(expr).errors }).toEqual({ alert, errors: [] });
  });

  it('use only metrics that the server registers', async () => {
    const known = [
      ...(await processMetrics()),
      ...FOREIGN,
      ...[...ownMetrics()].flatMap((name) => [
        name,
        `${name}_bucket`,
        `${name}_sum`,
        `${name}_count`,
      ]),
    ];
    for (const { alert, expr } of rules) {
      const { metrics } = reading(expr);
      expect({
        alert,
        unknown: metrics.filter((name) => !known.includes(name)),
        some: metrics.length > 0,
      }).toEqual({ alert, unknown: [], some: true });
    }
  });

  it('cover everything that an operator must not miss', () => {
    expect(rules.map(({ alert }) => alert)).toEqual(
      expect.arrayContaining([
        'ShoeprintApiDown',
        'ShoeprintAuditorDown',
        'ShoeprintNotRecorded',
        'ShoeprintLag',
        'ShoeprintNoProgress',
        'ShoeprintTableParked',
        'ShoeprintPartitionStopped',
        'ShoeprintGaps',
        'ShoeprintDiskFull',
        'ShoeprintNotPowerSafe',
        'ShoeprintSealerDown',
        'ShoeprintSealTooOld',
        'ShoeprintEvidenceAlarm',
        'ShoeprintSealMismatches',
        'ShoeprintExportContradicted',
        'ShoeprintSealingStopped',
      ]),
    );
  });

  it('link to an existing section of the handbook', () => {
    for (const { alert, annotations } of rules) {
      const [file, anchor] = annotations.runbook.split('#') as [string, string | undefined];
      expect({ alert, file, there: existsSync(file) }).toEqual({ alert, file, there: true });
      if (anchor)
        expect({ alert, anchors: anchorsOf(file) }).toEqual({
          alert,
          anchors: expect.arrayContaining([anchor]),
        });
    }
  });
});

/** Returns headings in the form in which links name them. */
const anchorsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
