import type { NewPerson } from '#api';

/** The supervisor of two tables of the sample day, as its record names them. */
export const SUPERVISOR = 'supervisor-3';

/**
 * The people of the sample floor: one for each role, a second pit boss who can sign what the first
 * proposes, and a supervisor who took part in the sample day and may not rule on what he was
 * involved in. The first administrator has every role.
 */
export const SAMPLE_PEOPLE: readonly NewPerson[] = [
  { name: 'pit-boss', roles: ['pit-boss'] },
  { name: 'pit-boss-2', roles: ['pit-boss'] },
  { name: 'supervisor', person: SUPERVISOR, roles: ['pit-boss'] },
  { name: 'surveillance', roles: ['surveillance'] },
  { name: 'compliance', roles: ['compliance'] },
  { name: 'regulator', roles: ['regulator'] },
  { name: 'finance', roles: ['finance'] },
  { name: 'integrator', roles: ['integrator'] },
];
