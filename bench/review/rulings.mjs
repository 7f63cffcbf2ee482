// Makes the acts of people who rule on every finding of simulated tables.
import { blockOf, Decoder, fold, houseFrom, newTable, simulate } from '#audit';

/** @typedef {import('#audit').TableState} TableState */
/**
 * What is ruled on: the findings of the last shoe, or of shoes out of reach. `comments`: so many
 * before each proposal.
 * @typedef {object} RulingsAsked
 * @property {import('#audit').RuleBook} book
 * @property {import('#baccarat').Rules} rules
 * @property {number} tables
 * @property {number} faults in each shoe
 * @property {boolean} isWithin
 * @property {number} [shoes]
 * @property {number} [comments]
 */

/**
 * Returns the state of each table before anybody acted, the lines of the acts, and all lines of the
 * log. Each finding is claimed, proposed and signed.
 * @param {RulingsAsked} asked
 */
export function rulingsOn(asked) {
  /** @type {Map<string, TableState>} */
  const states = new Map();
  /** @type {{ table: string, text: string }[]} */
  const lines = [];
  /** @type {string[]} */
  const whole = [];
  for (let t = 0; t < asked.tables; t += 1) {
    const table = `R${t}`;
    const [state, acted] = [newTable(table), newTable(table)];
    const folded = new Folding([state, acted], asked.book);
    for (const line of gameOf(table, asked)) {
      folded.take(line);
      whole.push(line);
    }
    folded.states = [acted];
    for (const id of [...acted.desk.items.keys()])
      for (const text of actsOn(id, table, acted, asked.comments ?? 0)) {
        const line = folded.canonical(text);
        folded.take(line);
        lines.push({ table, text: line });
        whole.push(line);
      }
    states.set(table, state);
  }
  return { states, lines, whole };
}

class Folding {
  #decoder;
  #book;
  #mark = 0;

  /**
   * @param {TableState[]} states
   * @param {import('#audit').RuleBook} book
   */
  constructor(states, book) {
    this.states = states;
    this.#book = book;
    this.#decoder = new Decoder(houseFrom(book));
  }

  /**
   * Returns an event as servers write it.
   * @param {string} text
   */
  canonical(text) {
    const decoded = this.#decoder.explain(Buffer.from(text));
    if (!decoded.event) throw new Error(`malformed: ${JSON.stringify(decoded.faults)}`);
    return decoded.content ?? text;
  }

  /** @param {string} line */
  take(line) {
    const bytes = Buffer.from(line);
    const block = blockOf(bytes, bytes.toString('latin1'));
    this.#mark += 1;
    for (const state of this.states) {
      const at = { decoder: this.#decoder, block, from: 0, to: bytes.length };
      fold(state, at, this.#book, { mark: this.#mark, received: null });
    }
  }
}

/** @type {(table: string, asked: RulingsAsked) => Generator<string, void, undefined>} */
function* gameOf(table, { rules, faults, isWithin, shoes = 1 }) {
  const named = Array.from({ length: shoes * faults }, (_, n) => {
    const [shoe, coup] = [Math.floor(n / faults) + 1, (n % faults) + 1];
    return `RS-01@${shoe}/${coup}`;
  });
  // two more shoes bring the others out of reach
  const all = isWithin ? shoes : shoes + 2;
  yield* simulate({ rules, seed: 'bench', shoes: all, bets: true, table, faults: named }).lines;
}

/** Acts begin a day after the game. */
const START_MS = Date.parse('2027-06-01T00:00:00Z');
let clock = START_MS;

/** @type {(id: string, table: string, state: TableState, comments: number) => Generator<string, void, undefined>} */
function* actsOn(id, table, state, comments) {
  const act = (
    /** @type {string} */ verb,
    /** @type {string} */ who,
    /** @type {object} */ data,
    key = 'k',
  ) =>
    JSON.stringify({
      ...{ specversion: '1.0', type: `shoeprint.finding-${verb}.v1`, source: `person/${who}` },
      ...{ id: `${verb}/${id}/${key}`, time: new Date((clock += 1000)).toISOString(), table },
      data: { finding: id, as: 'pit-boss', ...data },
    });
  const item = () => /** @type {import('#audit').Item} */ (state.desk.items.get(id));
  yield act('claimed', 'pia', { lease: 600 });
  for (let n = 0; n < comments; n += 1)
    yield act('commented', 'pia', { text: 'looked at the video again' }, `${n}`);
  const evidence = item().evidence;
  const note = 'the call was right';
  yield act('ruling-proposed', 'pia', {
    disposition: 'no-error',
    policy: 'review@1',
    evidence,
    note,
  });
  yield act('ruling-signed', 'sam', { proposal: item().proposal?.ref, evidence });
}
