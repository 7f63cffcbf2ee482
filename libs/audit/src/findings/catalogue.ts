/** 1 money or result wrong now; 2 a rule broken, the result possibly right; 3 procedure or quality of data; 4 statistics. */
export type Severity = 1 | 2 | 3 | 4;

/** Every code that is raised, and how grave it is: domain research 2.4 and contract section 4. docs/findings.md explains each. */
export const SEVERITIES = {
  'SH-02': 1,
  'SH-04': 2,
  'SH-06': 3,
  'SH-07': 3,
  'SH-09': 2,
  'SH-10': 3,
  'SH-13': 1,
  'SH-19': 2,
  'DL-01': 2,
  'DL-02': 2,
  'DL-04': 2,
  'DL-05': 2,
  'DL-06': 2,
  'DL-07': 2,
  'DL-10': 3,
  'DL-15': 2,
  'DL-16': 3,
  'TC-01': 1,
  'TC-02': 1,
  'TC-03': 1,
  'TC-04': 1,
  'TC-05': 1,
  'TC-06': 1,
  'TC-07': 1,
  'TC-08': 1,
  'TC-09': 1,
  'TC-11': 1,
  'RS-01': 2,
  'RS-02': 1,
  'RS-03': 1,
  'RS-05': 1,
  'RS-07': 3,
  'RS-08': 2,
  'RS-09': 2,
  'BT-01': 1,
  'BT-02': 2,
  'BT-03': 2,
  'BT-07': 1,
  'BT-08': 1,
  'BT-10': 2,
  'PY-01': 1,
  'PY-02': 1,
  'PY-03': 1,
  'PY-04': 1,
  'PY-05': 1,
  'PY-06': 1,
  'PY-07': 3,
  'PY-10': 2,
  'CM-01': 1,
  'CM-02': 1,
  'CM-03': 2,
  'CM-04': 1,
  'CM-05': 1,
  'CM-06': 1,
  'CM-08': 2,
  'DV-01': 3,
  'DV-04': 3,
  'DV-11': 3,
  'DV-15': 1,
  'PR-01': 3,
  'PR-04': 2,
  'PR-07': 1,
  'PR-09': 3,
} as const satisfies Record<string, Severity>;

export type FindingCode = keyof typeof SEVERITIES;
export const FINDING_CODES = Object.keys(SEVERITIES) as FindingCode[];

/** Codes whose findings are about the shoe as a whole and name no coup (contract section 4). */
export const OF_THE_SHOE: ReadonlySet<FindingCode> = new Set([
  'SH-04',
  'SH-06',
  'SH-07',
  'SH-10',
  'SH-19',
  'CM-05',
  'CM-06',
  'CM-08',
]);

/** What a gap in the cards' source makes unjudgeable in the coups that it touches (contract section 4). */
export const LOST_TO_A_GAP: readonly FindingCode[] = FINDING_CODES.filter(
  (code) =>
    ['DL-02', 'DL-04', 'DL-06', 'DL-07'].includes(code) ||
    (/^(TC|RS|PY|CM)-/.test(code) && !OF_THE_SHOE.has(code)),
);
