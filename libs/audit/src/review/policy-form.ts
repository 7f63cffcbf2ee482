import { integerForm, listForm, recordForm, textForm, type Form } from '#baccarat';
import { SEVERITIES } from '../findings/catalogue.js';
import { DISPOSITIONS, NEEDS, REVIEWER_ROLES } from './policy.js';

const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;

const due = (severity: number): Form =>
  integerForm(1, YEAR, `Seconds in which a finding of severity ${severity} should be ruled on.`);

const roles = (description: string): Form =>
  listForm(description, { description: 'A role of reviewers.', enum: [...REVIEWER_ROLES] });

const disposition = (description: string): Form => ({ description, enum: [...DISPOSITIONS] });

const TWO = recordForm('When a ruling needs a second person. Any one of these is enough.', {
  severities: listForm(
    'Severities of findings.',
    { description: 'A severity.', enum: [...SEVERITIES] },
    0,
  ),
  codes: listForm(
    'Codes of findings.',
    {
      description: 'a code, two capitals, a hyphen, two digits',
      type: 'string',
      pattern: '^[A-Z]{2}-[0-9]{2}$',
    },
    0,
  ),
  dispositions: listForm(
    'Dispositions of this policy.',
    disposition('The code of a disposition.'),
    0,
  ),
  from: {
    description:
      'By currency (ISO 4217), the amount in minor units from which on two persons are needed. An amount in another currency always needs two.',
    type: 'object',
    propertyNames: { pattern: '^[A-Z]{3}$' },
    additionalProperties: integerForm(
      1,
      Number.MAX_SAFE_INTEGER,
      'The least amount that needs two persons, in minor units.',
    ),
  },
});

const DISPOSITION = recordForm('One disposition that a ruling may have.', {
  code: disposition('Its code. docs/reviewing.md explains each.'),
  needs: listForm(
    'What a ruling with it must state.',
    { description: 'An amount comes with whom it favored.', enum: [...NEEDS] },
    0,
  ),
  counts: {
    description: 'Whether the finding counts in reports that leave out what does not count.',
    type: 'boolean',
  },
});

/** The form of a review policy, published as rules/policies/policy.schema.json (JSON Schema 2020-12). */
export const POLICY_FORM: Form = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Review policy',
  ...recordForm(
    'How a house reviews findings, in one version. A published version never changes. Durations are in seconds.',
    {
      id: { description: 'There is one kind of policy.', const: 'review' },
      version: integerForm(1, 1_000_000, 'Counts the versions from 1.'),
      title: textForm('What the policy is called.'),
      lease: integerForm(60, HOUR, 'How long a claim lasts that is not renewed.'),
      undo: integerForm(
        0,
        600,
        'How long the person who made a ruling final may reopen it without a role of "may.reopen".',
      ),
      due: recordForm(
        'How long a finding may wait for its ruling, by severity.',
        Object.fromEntries(SEVERITIES.map((severity) => [severity, due(severity)])),
      ),
      video: recordForm('How long video is kept, and how much of it belongs to a coup.', {
        kept: integerForm(1, 10 * YEAR, 'How long the house keeps video.'),
        before: integerForm(0, HOUR, 'How much belongs to a coup before its opening.'),
        after: integerForm(0, HOUR, 'How much belongs to a coup after its end.'),
      }),
      may: recordForm('The roles that may do what.', {
        propose: roles('The roles that may propose a ruling.'),
        sign: roles('The roles that may sign a proposal, or refuse it.'),
        reopen: roles('The roles that may reopen a finding that is ruled on.'),
      }),
      two: TWO,
      dispositions: listForm('What a ruling may decide.', DISPOSITION, 2),
    },
  ),
};
