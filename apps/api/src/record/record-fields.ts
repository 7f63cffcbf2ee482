import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { timeOf } from '#audit';
import { MayBeAbsent } from '../http/optional.js';
import { Problem } from '../problems/problems.js';
import { ChoiceField } from '../reading/filter-fields.js';
import type { LinesAsked } from './record-file.js';

/** An optional time in UTC. */
const UtcField = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', format: 'date-time', description, example }),
    MayBeAbsent(),
    ValidateBy({
      name: 'utc',
      validator: {
        validate: (text: unknown) =>
          typeof text === 'string' && text.endsWith('Z') && timeOf(text) !== undefined,
        defaultMessage: () => `must be a time in UTC of RFC 3339, such as ${example}`,
      },
    }),
  );

/** The query of the lines of a table: when the api received them, and whether they are stamped. */
export class RecordFields {
  @UtcField('The lines that the api received from then on', '2026-11-20T00:00:00Z')
  from?: string;

  @UtcField('The lines that the api received before then', '2026-11-21T00:00:00Z')
  to?: string;

  @ChoiceField(['on', 'off'], 'on')
  stamps?: 'on' | 'off';
}

/** Returns what a query asks for. Throws `invalid-request` if it ends before it begins. */
export function linesAsked({ from, to, stamps }: RecordFields): LinesAsked {
  const [first, end] = [from, to].map((text) => (text === undefined ? text : timeOf(text)));
  if (first !== undefined && end !== undefined && end <= first)
    throw new Problem('invalid-request', undefined, {
      errors: [{ pointer: '/to', reason: 'must be later than from' }],
    });
  return {
    stamps: stamps !== 'off',
    ...(first !== undefined && { from: first }),
    ...(end !== undefined && { to: end }),
  };
}
