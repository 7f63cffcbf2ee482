import { VERDICTS, type PackageFault, type PackageReport } from '#evidence';
import { visible } from '#process';

/** Returns the exit code of a report. */
export const exitOf = ({ verdict }: PackageReport): number => VERDICTS[verdict];

/** Returns a report for programs, as one line of JSON. */
export function reportJson(report: PackageReport): string {
  const { verdict, faults, warnings, counts, key, sealed } = report;
  return JSON.stringify({
    verdict,
    faults: faults.map(faultJson),
    furtherFaults: report.furtherFaults,
    warnings,
    counts,
    key: key?.vkey ?? null,
    sealed: { after: sealed.after ?? null, to: sealed.to ?? null },
  });
}

/** Returns a fault with all fields in their order. A field that is not known is null. */
function faultJson(fault: PackageFault): Readonly<Record<string, unknown>> {
  const { step, kind, file, table, record, partition, offset, line, seal, message } = fault;
  const at = { file, table, record, partition, offset, line, seal };
  const known = Object.fromEntries(
    Object.entries(at).map(([name, value]) => [name, value ?? null] as const),
  );
  return { step, kind, ...known, message };
}

/** Returns a report for people, line by line. */
export function reportLines(
  report: PackageReport,
  { hasKey }: { readonly hasKey: boolean },
): string[] {
  const { verdict, statement, counts, faults, warnings, furtherFaults } = report;
  const of = statement?.tables.map(({ table }) => table).join(', ');
  const tables = statement?.all === true ? `all ${statement.tables.length} tables` : `table ${of}`;
  const subject = statement
    ? `${statement.id}: ${counted(counts.events, 'event')} in ${counted(counts.records, 'record')} of ${tables}, ${counted(counts.seals, 'seal')}`
    : 'this is not a package that can be read';
  return [
    `${verdict}  ${subject}`,
    ...(statement ? signatureLines(report, hasKey) : []),
    ...faults.map((fault) => `  ${faultText(fault)}`),
    ...(furtherFaults > 0 ? [`  and ${furtherFaults} more faults`] : []),
    ...(warnings.length === 0
      ? ['  warnings   none']
      : warnings.map((warning) => `  warning    ${warning}`)),
  ].map(visible);
}

function signatureLines(
  { key, cosigned, grownSince, sealed, judgement }: PackageReport,
  hasKey: boolean,
): string[] {
  const whose = key?.isTrusted !== true ? 'unknown to you' : hasKey ? 'the key you gave' : 'yours';
  const signed = key ? `${key.vkey} (${whose})` : 'by nobody';
  const witnesses = cosigned.map(({ name, time }) => `${name} ${timeText(time)}`).join(', ');
  const history =
    grownSince.length > 0
      ? `only grew since your checkpoint of size ${grownSince.join(', ')}`
      : 'not checked: no earlier checkpoint was given';
  return [
    `  signed     ${signed}`,
    `  cosigned   ${witnesses === '' ? 'not checked: no witness was named' : witnesses}`,
    `  history    ${history}`,
    `  sealed     ${sealed.after ?? 'from the first seal'} to ${sealed.to ?? 'unknown'} by the house's clock`,
    `  judged     ${judgement ? `${counted(judgement.findings, 'finding')} the same` : 'not judged'}`,
  ];
}

const timeText = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** Renders a fault: where it is, as finely as it is known, and what is wrong there. */
function faultText({ step, kind, message, ...at }: PackageFault): string {
  const { file, table, record, partition, offset, line, seal } = at;
  const where = [
    file,
    table === undefined ? undefined : `table ${table}`,
    record === undefined ? undefined : `record ${record}`,
    partition === undefined ? undefined : `partition ${partition} offset ${offset ?? '?'}`,
    line === undefined ? undefined : `line ${line}`,
    seal === undefined ? undefined : `seal ${seal}`,
  ].filter((part) => part !== undefined);
  return `${kind}, step ${step}: ${[where.join(', '), message].filter((part) => part !== '').join(': ')}`;
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
