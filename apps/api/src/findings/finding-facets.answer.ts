import type { REVIEW_STATES, FindingCode, Severity as Grade } from '#audit';
import type { FacetCount, FindingFacets } from '#read-model';
import {
  Code,
  OneOf,
  Parts,
  PositionsField,
  SeverityField,
  Text,
  Whole,
  YesNo,
} from '../docs/answer-fields.js';

type State = (typeof REVIEW_STATES)[number];

class Counted {
  @Whole() findings!: number;
}

/** How many findings are in one state of review. */
export class StateCountAnswer extends Counted implements Required<FacetCount<State>> {
  @OneOf(['open', 'proposed', 'ruled']) value!: State;
}

/** How many findings have one severity. */
export class SeverityCountAnswer extends Counted implements Required<FacetCount<Grade>> {
  @SeverityField() value!: Grade;
}

/** How many findings have one code. */
export class CodeCountAnswer extends Counted implements Required<FacetCount<FindingCode>> {
  @Code() value!: FindingCode;
}

/** How many findings are of one table. */
export class TableCountAnswer extends Counted implements Required<FacetCount<string>> {
  @Text() value!: string;
}

/** How many findings are of one dealer. */
export class DealerCountAnswer extends Counted implements Required<FacetCount<string | null>> {
  @Text({ nullable: true, description: 'Null if nobody had signed on' }) value!: string | null;
}

/** How many findings have a flag of their review, and how many do not. */
export class FlagCountAnswer extends Counted implements Required<FacetCount<boolean>> {
  @YesNo() value!: boolean;
}

/**
 * How many findings a filter has, by some fields. Each list leaves out the filter of its own field.
 * The most frequent come first, at most 1,000.
 */
export class FindingFacetsAnswer implements Required<FindingFacets> {
  @PositionsField() positions!: string;
  @Whole({ description: 'For the whole filter' }) total!: number;
  @Parts(() => StateCountAnswer) state!: readonly StateCountAnswer[];
  @Parts(() => SeverityCountAnswer) severity!: readonly SeverityCountAnswer[];
  @Parts(() => CodeCountAnswer) code!: readonly CodeCountAnswer[];
  @Parts(() => TableCountAnswer) table!: readonly TableCountAnswer[];
  @Parts(() => DealerCountAnswer) dealer!: readonly DealerCountAnswer[];
  @Parts(() => FlagCountAnswer) lapsed!: readonly FlagCountAnswer[];
  @Parts(() => FlagCountAnswer) regressed!: readonly FlagCountAnswer[];
}
