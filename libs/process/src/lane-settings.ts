import { Environment, type Variables } from './environment.js';

/** Reads how lines are folded: `off` is without the lane. Collects a fault in `env`. */
export const laneSetting = (env: Environment): 'off' | 'on' =>
  env.oneOf<'off' | 'on', 'on'>('LANE', ['on', 'off'], 'on');

/** Returns how lines are folded, for a program that reads no other setting. */
export function lanesAsked(variables: Variables): 'off' | 'on' {
  const env = new Environment(variables);
  const lanes = laneSetting(env);
  env.check();
  return lanes;
}
