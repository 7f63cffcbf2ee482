import { canName } from '../admission/ids-in-reach.js';
import { recall } from '../admission/recall.js';
import { hear } from '../admission/sources.js';
import { isReview, referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import type { Finding, Gap } from '../findings/finding.js';
import { newTable } from '../fold.js';
import type { LaneSetting } from '../lane/lane.js';
import type { TableState } from '../state.js';
import { changeDuty } from '../step.js';

/** The boot of a session: how often its device had started it. */
export type Boot = Pick<Gap, 'source' | 'session' | 'boot'>;

/**
 * Returns the state of a table for judging that begins in the middle of its log: no shoe is open,
 * and what is known of the time before is what the events of `context` show, in the order of the
 * log. `contextOf` selects them.
 *
 * The boot of a session cannot be seen from a part of the log. It keeps holes of a restarted
 * session apart and decides nothing else. `boots` names it where a finding does (`bootsIn`).
 * `lanes` says how lines are folded.
 */
export function tableFrom(
  table: string,
  context: Iterable<AnyEvent>,
  boots: readonly Boot[] = [],
  lanes: LaneSetting = 'on',
): TableState {
  const state = newTable(table, lanes);
  for (const event of context) {
    if (isReview(event) || !recall(state.admission, event)) continue;
    hear(state.sources, event, 0);
    if (event.type === 'shoe-opened') rememberShoe(state, event);
    if (event.type === 'dealer-signed-on' || event.type === 'dealer-relieved')
      changeDuty(state.duty, event);
  }
  for (const boot of boots) nameBoot(state, boot);
  return state;
}

function rememberShoe({ shoes, admission }: TableState, opening: EventOf<'shoe-opened'>): void {
  const name = opening.shoe as string;
  if (shoes.includes(name) || !canName(admission, opening, NOBODY)) return;
  shoes.push(name);
  admission.ids.set(referenceOf(opening), opening.digest);
}

/** Takes what is found before the place where judging begins, which is not listed. */
const NOBODY = { equivocal: () => undefined };

function nameBoot({ admission: { sessions } }: TableState, { source, session, boot }: Boot): void {
  const at = sessions.findIndex((each) => each.source === source && each.session === session);
  const known = sessions[at];
  if (known) sessions[at] = { ...known, boot };
  else sessions.push({ source, session, boot, next: 1, digests: [0], onlines: [], equivocal: [] });
}

/** Returns the first boot of each session that these findings name. */
export function bootsIn(findings: Iterable<Pick<Finding, 'gap'>>): Boot[] {
  const first = new Map<string, Boot>();
  for (const { gap } of findings) {
    if (!gap) continue;
    const { source, session, boot } = gap;
    const key = JSON.stringify([source, session]);
    if (boot < (first.get(key)?.boot ?? Infinity)) first.set(key, { source, session, boot });
  }
  return [...first.values()];
}
