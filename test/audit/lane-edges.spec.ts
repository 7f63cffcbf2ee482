import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { blockOf, canonicalLine, Decoder, fold, newTable, type EventType } from '#audit';
import { audit, codes, type Sent } from '../kit/audit.js';
import { expectSameInBothLanes, type Course } from '../kit/both-lanes.js';
import { CUT_BOOK, HOUSE } from '../kit/house.js';
import { readStory } from '../kit/story.js';
import { TableLog } from '../kit/table.js';

/** How many contents of a session are remembered. */
const CONTENTS_MAX = 4_096;

/** Returns the events of a story, whose form test/stories/README.md describes. */
const told = (story: string): readonly Sent[] =>
  readStory(`${story}\nfinds: nothing`, 'an edge').events;

const lineOf = (event: Sent): string => canonicalLine(JSON.stringify(event));
const typeOf = ({ type }: Sent): string => (type as string).replace(/^shoeprint\.|\.v1$/g, '');

/** Rows at the end only, as the command line takes them, and rows and states at any moment. */
const COURSES: readonly Course[] = [
  { seed: 1, block: 60, isFinal: true, saved: 1_000_000, loaded: 1_000_000 },
  { seed: 2, block: 1, isFinal: true, saved: 4, loaded: 20 },
  { seed: 3, block: 1, isFinal: false, saved: 4, loaded: 20 },
  { seed: 4, block: 4, isFinal: false, saved: 1_000_000, loaded: 1_000_000 },
];

/** Expects one verdict, whether the lane is on or off, however rows are taken. */
function expectOneVerdict(events: readonly Sent[]): void {
  const lines = events.map(lineOf);
  for (const course of COURSES) expectSameInBothLanes(lines, CUT_BOOK, course);
}

/**
 * Returns the types of the events that the lane did not take. Leaves out those that it never takes:
 * the opening of a shoe, and the first event of a session.
 */
function explained(events: readonly Sent[]): string[] {
  const decoder = new Decoder(HOUSE);
  const state = newTable('T1');
  return events
    .filter((event) => {
      const { lane } = state.lane.counts;
      const bytes = Buffer.from(lineOf(event));
      const block = blockOf(bytes, bytes.toString('latin1'));
      fold(state, { decoder, block, from: 0, to: bytes.length }, CUT_BOOK);
      return state.lane.counts.lane === lane;
    })
    .filter((event) => event.sequence !== 1)
    .map(typeOf)
    .filter((type) => type !== 'shoe-opened');
}

type Log = string | readonly Sent[];
const logOf = (log: Log): readonly Sent[] => (typeof log === 'string' ? told(log) : log);

/** One rule of the lane. */
interface Edge {
  /** A log that keeps to it. The lane takes it all. */
  readonly within: Log;
  /** A log that just does not. */
  readonly beyond: Log;
  /** The first event of that log that is left to the explaining path. */
  readonly leaves: EventType;
  /** The codes that are found in it, each once. None if the lane only does not know. */
  readonly finds?: readonly string[];
}

/** A coup that the player hand wins with a natural 9 against 7. */
const HANDS = 'player: 9S KD\nbanker: 7H KC\n';
const COUP = `${HANDS}declared: player\n`;
/** A coup that the banker hand wins. */
const BANKER = 'player: 7H KC\nbanker: 9S KD\ndeclared: banker\n';
/** A coup with the draws that are due. */
const THIRDS = 'player: 2S 3D 8C\nbanker: KH 6S\ndeclared: banker\n';
const BET = 'bet: seat 1 player 100\n';
const PAID = 'settled: seat 1 player returned 100\n';
const CARDS_ONLY = 'reports: nothing\n';
const NEXT = 'coup:\n';
/** The first event of the terminal, where no dealer signs on. */
const BOOT = 'event: terminal device-error {"code":7}\n';
/** Another dealer deals the rest of the shoe. Two more follow. */
const ANOTHER_DEALER = `over:\ndealer: ivan\n${NEXT}${COUP}closed: end\nshoe: S2\n${COUP}closed: end\nshoe: S3\n${COUP}`;
const PERFECT = 'rules: super-6@1\nburned: 2C 3C 4C\nbet: seat 1 perfect-pair 100\n';
/** A seat that owes 5 of commission. */
const OWING = `bet: seat 1 banker 100\n${BANKER}settled: seat 1 banker returned 100 marked 5\nover:\n`;

const CARDS: Record<string, Edge> = {
  'a card was read': {
    within: COUP,
    beyond: COUP.replace('9S', '??'),
    leaves: 'card-drawn',
    finds: ['DV-01'],
  },
  'a card was not seen early': {
    within: COUP,
    beyond: COUP.replace('9S', '9S!'),
    leaves: 'card-drawn',
  },
  'a device enters a card': {
    within: `${NEXT}betting: closed\nevent: shoe card-drawn {"card":"9S","to":"player"}\ndealt: B 7H P KD B KC\ndeclared: player`,
    beyond: `${NEXT}betting: closed\nevent: person/sam card-drawn {"card":"9S","to":"player"}\ndealt: B 7H P KD B KC\ndeclared: player`,
    leaves: 'card-drawn',
    finds: ['DV-11'],
  },
  'no card comes more often than the decks have it': {
    within: `${COUP}over:\ndealt: out 9S 9S 9S 9S 9S 9S 9S`,
    beyond: `${COUP}over:\ndealt: out 9S 9S 9S 9S 9S 9S 9S 9S`,
    leaves: 'card-drawn',
    finds: ['SH-02'],
  },
  'the first cards go to the hands by turns': {
    within: `dealt: P 9S B 7H P KD B KC\ndeclared: player`,
    beyond: `dealt: P 9S P KD B 7H B KC\ndeclared: player`,
    leaves: 'card-drawn',
    finds: ['DL-02'],
  },
  'a hand draws its third card only if it is due': {
    within: COUP,
    beyond: `player: 9S KD 2C\nbanker: 7H KC\ndeclared: banker`,
    leaves: 'card-drawn',
    finds: ['TC-01'],
  },
  'the third card of the player hand decides about that of the banker hand': {
    within: `player: 2S 3D 6C\nbanker: KH 6S 2D\ndeclared: banker`,
    beyond: `player: 2S 3D 8C\nbanker: KH 6S 2D\ndeclared: banker`,
    leaves: 'card-drawn',
    finds: ['TC-08'],
  },
  'a card goes to a hand that is known': {
    within: `dealt: P 9S B 7H P KD B KC\ndeclared: player`,
    beyond: `dealt: - 9S B 7H P KD B KC\ndeclared: player`,
    leaves: 'card-drawn',
  },
  'somebody deals': {
    within: `${COUP}over:\ndealer: nobody\ndealer: mira\n${NEXT}${COUP}`,
    beyond: `${COUP}over:\ndealer: nobody\n${NEXT}${COUP}`,
    leaves: 'card-drawn',
    finds: ['PR-01'],
  },
  'somebody deals at a table that reports who does': {
    within: `dealer: nobody\nreports: outcomes\n${BOOT}${COUP}`,
    beyond: `dealer: nobody\nreports: outcomes dealers\n${BOOT}${COUP}`,
    leaves: 'card-drawn',
    finds: ['PR-01'],
  },
  'another dealer comes between coups': {
    within: `${COUP}over:\ndealer: mira\n${NEXT}${COUP}`,
    beyond: `${HANDS}dealer: mira\ndeclared: player`,
    leaves: 'dealer-signed-on',
  },
  'between coups, cards only leave the game': {
    within: `${COUP}over:\ndealt: out 2C\ndealt: burn 3C`,
    beyond: `${COUP}over:\ndealt: P 2C`,
    leaves: 'card-drawn',
    finds: ['DL-15'],
  },
  'in a coup, no card leaves the game': {
    within: `dealt: P 9S burn 2C B 7H P KD B KC\ndeclared: player`,
    beyond: `dealt: P 9S out 2C B 7H P KD B KC\ndeclared: player`,
    leaves: 'card-drawn',
    finds: ['DL-11'],
  },
  'cards are burned as the first of them says': {
    within: `rules: punto-banco@1\nburned: 2C 3C 4C\n${COUP}`,
    beyond: `rules: punto-banco@1\nburned: 2C 3C\n${COUP}`,
    leaves: 'coup-opened',
    finds: ['SH-07'],
  },
  'the first burned card was read': {
    within: `rules: punto-banco@1\nburned: 2C 3C 4C\n${COUP}`,
    beyond: `rules: punto-banco@1\nburned: ?? 3C 4C\n${COUP}`,
    leaves: 'card-drawn',
    finds: ['DV-01'],
  },
  'cards are burned at a table that reports it': {
    within: `rules: punto-banco@1\nreports: outcomes\n${COUP}`,
    beyond: `rules: punto-banco@1\nreports: outcomes burns\n${COUP}`,
    leaves: 'coup-opened',
    finds: ['SH-06'],
  },
};

const COUPS: Record<string, Edge> = {
  'a coup is a normal one': {
    within: `kind: normal\n${COUP}`,
    beyond: `kind: dummy\n${COUP}`,
    leaves: 'coup-opened',
  },
  'coups are numbered in turn': {
    within: `${COUP}coup: 2\n${COUP}`,
    beyond: `${COUP}coup: 3\n${COUP}`,
    leaves: 'coup-opened',
    finds: ['DL-16'],
  },
  'a coup opens in a shoe that is open': {
    within: `${COUP}over:\nevent: terminal coup-opened {"coup":2}`,
    beyond: `${COUP}closed: end\nevent: terminal coup-opened {"coup":2}`,
    leaves: 'coup-opened',
  },
  'a coup is over before the next one': {
    within: `${COUP}over:\nevent: terminal coup-opened {"coup":2}`,
    beyond: `${COUP}event: terminal coup-opened {"coup":2}\n${HANDS}declared: player`,
    leaves: 'coup-opened',
  },
  'after a cut card between coups, as many follow as the rules permit': {
    within: `${COUP}over:\ncut card:\n${NEXT}${COUP}`,
    beyond: `${COUP}over:\ncut card:\n${NEXT}${COUP}${NEXT}${COUP}`,
    leaves: 'coup-opened',
    finds: ['SH-09'],
  },
  'after a cut card inside a coup, as many follow as the rules permit': {
    within: `dealt: P 9S\ncut card:\ndealt: B 7H P KD B KC\ndeclared: player\n${NEXT}${COUP}${NEXT}${COUP}`,
    beyond: `dealt: P 9S\ncut card:\ndealt: B 7H P KD B KC\ndeclared: player\n${NEXT}${COUP}${NEXT}${COUP}${NEXT}${COUP}`,
    leaves: 'coup-opened',
    finds: ['SH-09'],
  },
  'the cut card shows after a first card, or between coups': {
    within: `cut card:\n${COUP}`,
    beyond: `${COUP}over:\n${NEXT}cut card:\n${COUP}`,
    leaves: 'cut-card-drawn',
  },
  'a coup is closed once its cards are dealt': {
    within: `${CARDS_ONLY}${THIRDS.replace(/declared.*\n/, '')}`,
    beyond: `${CARDS_ONLY}player: 2S 3D\nbanker: KH 6S`,
    leaves: 'coup-closed',
    finds: ['TC-03'],
  },
  'a coup that is closed has cards': {
    within: `${CARDS_ONLY}${HANDS}over:`,
    beyond: `${CARDS_ONLY}${NEXT}over:`,
    leaves: 'coup-closed',
    finds: ['DL-04'],
  },
  'a coup is closed once': {
    within: `${COUP}over:`,
    beyond: `${COUP}over:\nevent: terminal coup-closed {}`,
    leaves: 'coup-closed',
  },
  'no hand may choose': {
    within: THIRDS,
    beyond: `rules: chemin-de-fer@1\n${COUP}`,
    leaves: 'coup-opened',
  },
};

const RESULTS: Record<string, Edge> = {
  'a hand is called by its total': {
    within: `${HANDS}called: player 9\ncalled: banker 7\ndeclared: player`,
    beyond: `${HANDS}called: player 8\ndeclared: player`,
    leaves: 'hand-called',
    finds: ['RS-01'],
  },
  'the banker hand is called by its own total': {
    within: `${HANDS}called: banker 7\ndeclared: player`,
    beyond: `${HANDS}called: banker 9\ndeclared: player`,
    leaves: 'hand-called',
    finds: ['RS-01'],
  },
  'a hand is called in a coup': {
    within: `${HANDS}called: player 9\ndeclared: player`,
    beyond: `${COUP}over:\ncalled: player 9`,
    leaves: 'hand-called',
  },
  'a hand that is called has cards': {
    within: `${HANDS}called: player 9\ndeclared: player`,
    beyond: `${NEXT}called: player 0\n${COUP}`,
    leaves: 'hand-called',
  },
  'an outcome is declared once both hands are dealt': {
    within: THIRDS,
    beyond: `dealt: P 2S B KH P 3D B 6S\ndeclared: banker\ndealt: P 8C`,
    leaves: 'outcome-declared',
    finds: ['TC-03'],
  },
  'an outcome is declared in a coup': {
    within: `${COUP}over:`,
    beyond: `${COUP}over:\ndeclared: player`,
    leaves: 'outcome-declared',
  },
  'the outcome is what the cards make': {
    within: COUP,
    beyond: `${HANDS}declared: tie`,
    leaves: 'outcome-declared',
    finds: ['RS-02'],
  },
  'a second declaration says the same': {
    within: `${COUP}declared: player`,
    beyond: `${COUP}declared: banker`,
    leaves: 'outcome-declared',
    finds: ['RS-02', 'RS-08'],
  },
  'the total of the player hand is declared right': {
    within: `${HANDS}declared: player, 9 to 7`,
    beyond: `${HANDS}declared: player, 8 to 7`,
    leaves: 'outcome-declared',
    finds: ['RS-01'],
  },
  'the total of the banker hand is declared right': {
    within: `${HANDS}declared: player, 9 to 7`,
    beyond: `${HANDS}declared: player, 9 to 6`,
    leaves: 'outcome-declared',
    finds: ['RS-01'],
  },
  'the specials are those that the cards make': {
    within: `${HANDS}declared: player, with natural`,
    beyond: `${HANDS}declared: player, with natural and player-pair`,
    leaves: 'outcome-declared',
    finds: ['RS-05'],
  },
  'no special is left out': {
    within: `${THIRDS.trim()}, with nothing`,
    beyond: `${HANDS}declared: player, with nothing`,
    leaves: 'outcome-declared',
    finds: ['RS-05'],
  },
  'each coup has an outcome of its own at a table that reports it': {
    within: `reports: outcomes\n${COUP}${NEXT}${COUP}over:`,
    beyond: `reports: outcomes\n${COUP}${NEXT}${HANDS}over:`,
    leaves: 'coup-closed',
    finds: ['RS-07'],
  },
  'a coup has an outcome at a table that reports it': {
    within: `${CARDS_ONLY}${HANDS}`,
    beyond: `reports: outcomes\n${HANDS}`,
    leaves: 'coup-closed',
    finds: ['RS-07'],
  },
};

const BETS: Record<string, Edge> = {
  'a bet is one that the rules offer': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}bet: seat 2 dragon-7 100\n${COUP}${PAID}`,
    leaves: 'bet-placed',
    finds: ['BT-10'],
  },
  'a bet that was settled is not withdrawn': {
    within: `reports: bets\nbet: seat 2 player 100\n${HANDS}`,
    beyond: `reports: bets\nbet: seat 1 player 100\nbet: seat 2 player 100\nsettled: seat 1 player returned 100\nwithdrawn: seat 1 player 100\nbetting: never closed\n${HANDS}`,
    leaves: 'coup-closed',
    finds: ['PY-06'],
  },
  'bets are placed before betting closes': {
    within: `${BET}bet: seat 2 player 50\nbetting: closed\n${COUP}${PAID}settled: seat 2 player returned 50`,
    beyond: `${BET}betting: closed\nbet: seat 2 player 50\n${COUP}${PAID}settled: seat 2 player returned`,
    leaves: 'bet-placed',
    finds: ['BT-01'],
  },
  'bets are withdrawn before betting closes': {
    within: `${BET}withdrawn: seat 1 player 40\nbetting: closed\n${COUP}${PAID.replace('100', '60')}`,
    beyond: `${BET}betting: closed\nwithdrawn: seat 1 player 40\n${COUP}${PAID}`,
    leaves: 'bet-withdrawn',
    finds: ['BT-01'],
  },
  'bets are placed before the first card': {
    within: `${BET}betting: never closed\n${COUP}${PAID}`,
    beyond: `${BET}betting: never closed\ndealt: P 9S\nbet: seat 2 player 50\ndealt: B 7H P KD B KC\ndeclared: player\n${PAID}settled: seat 2 player returned`,
    leaves: 'bet-placed',
    finds: ['BT-01'],
  },
  'bets are withdrawn before the first card': {
    within: `${BET}betting: never closed\nwithdrawn: seat 1 player 40\n${COUP}${PAID.replace('100', '60')}`,
    beyond: `${BET}betting: never closed\ndealt: P 9S\nwithdrawn: seat 1 player 40\ndealt: B 7H P KD B KC\ndeclared: player\n${PAID}`,
    leaves: 'bet-withdrawn',
    finds: ['BT-01'],
  },
  'betting closes before the first card': {
    within: `betting: closed\n${COUP}`,
    beyond: `betting: never closed\ndealt: P 9S\nevent: terminal betting-closed {}\ndealt: B 7H P KD B KC\ndeclared: player`,
    leaves: 'betting-closed',
    finds: ['DL-01'],
  },
  'betting closes once': {
    within: `betting: closed\n${COUP}`,
    beyond: `betting: closed\nbetting: closed\n${COUP}`,
    leaves: 'betting-closed',
  },
  'betting closes in a coup': {
    within: `${COUP}${NEXT}${COUP}`,
    beyond: `${COUP}over:\nevent: terminal betting-closed {}\n${NEXT}betting: never closed\n${COUP}`,
    leaves: 'betting-closed',
  },
  'no more is withdrawn than stands': {
    within: `reports: outcomes bets\n${BET}bet: seat 2 player 50\nwithdrawn: seat 1 player 100\n${COUP}`,
    beyond: `reports: outcomes bets\n${BET}withdrawn: seat 1 player 100.01\n${COUP}`,
    leaves: 'bet-withdrawn',
    finds: ['DL-10'],
  },
  'nothing is withdrawn where no bet stands': {
    within: `reports: outcomes bets\n${BET}withdrawn: seat 1 player 50\n${COUP}`,
    beyond: `reports: outcomes bets\n${BET}withdrawn: seat 2 player 50\n${COUP}`,
    leaves: 'bet-withdrawn',
  },
  'a bet is not below the minimum when betting closes': {
    within: `limits: player 100 to 500\n${BET}${COUP}${PAID}`,
    beyond: `limits: player 100.01 to 500\n${BET}${COUP}${PAID}`,
    leaves: 'betting-closed',
    finds: ['BT-02'],
  },
  'a bet is not above the maximum when betting closes': {
    within: `limits: player 10 to 100\n${BET}${COUP}${PAID}`,
    beyond: `limits: player 10 to 99.99\n${BET}${COUP}${PAID}`,
    leaves: 'betting-closed',
    finds: ['BT-03'],
  },
  'a bet is within its limits when the coup ends': {
    within: `limits: player 10 to 100\nbetting: never closed\n${BET}${COUP}${PAID}`,
    beyond: `limits: player 10 to 99.99\nbetting: never closed\n${BET}${COUP}${PAID}`,
    leaves: 'coup-closed',
    finds: ['BT-03'],
  },
  'a coup has a bet at a table that reports bets': {
    within: `reports: outcomes\n${COUP}`,
    beyond: `reports: outcomes bets\n${COUP}`,
    leaves: 'coup-closed',
    finds: ['DL-10'],
  },
  'a coup has a bet that was not withdrawn': {
    within: `reports: outcomes bets\n${BET}withdrawn: seat 1 player 40\n${COUP}`,
    beyond: `reports: outcomes bets\n${BET}withdrawn: seat 1 player 100\n${COUP}`,
    leaves: 'coup-closed',
    finds: ['DL-10'],
  },
  'the lane has room for the bets of a coup': {
    within: `${seats(64)}${COUP}${settled(64)}`,
    beyond: `${seats(65)}${COUP}${settled(65)}`,
    leaves: 'bet-placed',
  },
};

const MONEY: Record<string, Edge> = {
  'a bet is settled after the outcome': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}${HANDS}${PAID}declared: player`,
    leaves: 'outcome-declared',
    finds: ['PY-07'],
  },
  'a bet that is settled stands': {
    within: `${BET}bet: seat 2 player 50\n${COUP}${PAID}settled: seat 2 player returned 50`,
    beyond: `${BET}${COUP}${PAID}settled: seat 2 player returned 50`,
    leaves: 'bet-settled',
    finds: ['PY-06'],
  },
  'a bet that is settled was not withdrawn': {
    within: `${BET}bet: seat 2 player 50\nwithdrawn: seat 2 player 50\n${COUP}${PAID}`,
    beyond: `${BET}bet: seat 2 player 50\nwithdrawn: seat 2 player 50\n${COUP}${PAID}settled: seat 2 player returned`,
    leaves: 'bet-settled',
    finds: ['PY-06'],
  },
  'a bet that is settled is one that the rules offer': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}${COUP}${PAID}settled: seat 2 dragon-7 returned`,
    leaves: 'bet-settled',
    finds: ['BT-10'],
  },
  'a bet is settled in its coup': {
    within: `reports: outcomes bets\n${BET}${COUP}${PAID}over:`,
    beyond: `reports: outcomes bets\n${BET}${COUP}over:\n${PAID}`,
    leaves: 'bet-settled',
    finds: ['PY-10'],
  },
  'a bet for the next coup is not settled before it': {
    within: `${BET}${COUP}${PAID}over:\n${BET}${NEXT}${COUP}${PAID}`,
    beyond: `${BET}${COUP}${PAID}over:\n${BET}settled: seat 1 player returned\n${NEXT}${COUP}${PAID}`,
    leaves: 'bet-settled',
    finds: ['PY-10'],
  },
  'a bet is settled in parts, and the last says what became of its stake': {
    within: `bet: seat 1 banker 100\n${BANKER}settled: seat 1 banker taken 60 marked 2\nsettled: seat 1 banker returned 40 taken 3`,
    beyond: `bet: seat 1 banker 100\n${BANKER}settled: seat 1 banker returned 60 marked 2\nsettled: seat 1 banker taken 40 taken 3`,
    leaves: 'coup-closed',
    finds: ['PY-01'],
  },
  'a bet is settled at a table that reports it': {
    within: `reports: outcomes bets\n${BET}${COUP}`,
    beyond: `reports: outcomes bets settlements\n${BET}${COUP}`,
    leaves: 'coup-closed',
    finds: ['PY-01'],
  },
  'a bet that wins is paid what it wins': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}${COUP}settled: seat 1 player returned 100.01`,
    leaves: 'coup-closed',
    finds: ['PY-03'],
  },
  'the stake of a bet that wins is returned': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}${COUP}settled: seat 1 player taken 100`,
    leaves: 'coup-closed',
    finds: ['PY-01'],
  },
  'the stake of a bet that loses is taken': {
    within: `bet: seat 1 banker 100\n${COUP}settled: seat 1 banker taken`,
    beyond: `bet: seat 1 banker 100\n${COUP}settled: seat 1 banker returned`,
    leaves: 'coup-closed',
    finds: ['PY-02'],
  },
  'a pair of rank and suit is another than one of rank': {
    within: `${PERFECT}player: 4S 4S\nbanker: 3D 4H\ndeclared: player\nsettled: seat 1 perfect-pair returned 2500`,
    beyond: `${PERFECT}player: 4S 4H\nbanker: 3D 4H\ndeclared: player\nsettled: seat 1 perfect-pair returned 2500`,
    leaves: 'coup-closed',
    finds: ['PY-02'],
  },
  'commission is what is due': {
    within: OWING,
    beyond: OWING.replace('marked 5', 'marked 4.99'),
    leaves: 'coup-closed',
    finds: ['CM-02'],
  },
  'commission is charged at a table that reports it': {
    within: `reports: outcomes bets settlements\n${OWING.replace(' marked 5', '')}`,
    beyond: `reports: outcomes bets settlements commission\n${OWING.replace(' marked 5', '')}`,
    leaves: 'coup-closed',
    finds: ['CM-01'],
  },
  'commission is charged only where it is due': {
    within: `${BET}${COUP}${PAID}`,
    beyond: `${BET}${COUP}settled: seat 1 player returned 100 marked 5`,
    leaves: 'coup-closed',
    finds: ['CM-04'],
  },
  'no more commission is collected than is owed': {
    within: `${OWING}collected: seat 1 5`,
    beyond: `${OWING}collected: seat 1 5.01`,
    leaves: 'commission-collected',
    finds: ['CM-06'],
  },
  'commission is collected where it is owed': {
    within: `${OWING}collected: seat 2 0`,
    beyond: `${OWING}collected: seat 2 0.01`,
    leaves: 'commission-collected',
    finds: ['CM-06'],
  },
  'commission is collected, not waived': {
    within: `${OWING}collected: seat 1 5`,
    beyond: `${OWING}waived: seat 1 5, by mira because of a dispute`,
    leaves: 'commission-waived',
  },
  'a seat that leaves owes nothing': {
    within: `${OWING}collected: seat 1 5\nleft: seat 1\nleft: seat 2`,
    beyond: `${OWING}collected: seat 1 4.99\nleft: seat 1`,
    leaves: 'seat-left',
    finds: ['CM-05'],
  },
  'a seat owes where commission is reported': {
    within: `reports: outcomes bets settlements\n${OWING}left: seat 1`,
    beyond: `reports: outcomes bets settlements commission\n${OWING}left: seat 1`,
    leaves: 'seat-left',
    finds: ['CM-05'],
  },
};

const CLOSINGS: Record<string, Edge> = {
  'a shoe is closed for a reason': {
    within: `${COUP}closed: end`,
    beyond: `${COUP}closed: no reason`,
    leaves: 'shoe-closed',
    finds: ['SH-10'],
  },
  'as many cards remain as were not drawn': {
    within: `${COUP}closed: end, 412 remaining`,
    beyond: `${COUP}closed: end, 411 remaining`,
    leaves: 'shoe-closed',
    finds: ['SH-04'],
  },
  'as many cards are listed as were not drawn': {
    within: `${COUP}closed: end, remaining the rest`,
    beyond: `${COUP}closed: end, remaining the rest without 9S`,
    leaves: 'shoe-closed',
    finds: ['SH-04'],
  },
  'those cards remain that were not drawn': {
    within: `${COUP}closed: end, remaining the rest`,
    beyond: `${COUP}closed: end, remaining the rest without 9S with 8D`,
    leaves: 'shoe-closed',
    finds: ['SH-04'],
  },
  'no card remains beside one that was drawn unread': {
    within: `${COUP}over:\ndealt: out 2C\nclosed: end, remaining the rest`,
    beyond: `${COUP}over:\ndealt: out ??\n${NEXT}${COUP}over:\nclosed: end, remaining the rest with AS`,
    leaves: 'card-drawn',
    finds: ['DV-01', 'SH-04'],
  },
  'a shoe is closed between coups': {
    within: `${COUP}over:\nevent: terminal shoe-closed {"reason":"end"}`,
    beyond: `${COUP}event: terminal shoe-closed {"reason":"end"}`,
    leaves: 'shoe-closed',
  },
  'no bet waits for another coup when a shoe is closed': {
    within: `${BET}${COUP}${PAID}closed: end`,
    beyond: `${BET}${COUP}${PAID}over:\n${BET}closed: end`,
    leaves: 'shoe-closed',
  },
  'no seat owes commission when a shoe is closed': {
    within: `${OWING}collected: seat 1 5\nclosed: end`,
    beyond: `${OWING}closed: end`,
    leaves: 'shoe-closed',
    finds: ['CM-05'],
  },
  'a shoe is closed once': {
    within: `${COUP}closed: end`,
    beyond: `${COUP}closed: end\nevent: terminal shoe-closed {"reason":"end"}`,
    leaves: 'shoe-closed',
  },
  'nothing is about a shoe that is closed': {
    within: `${COUP}left: seat 1\nover:\nclosed: end`,
    beyond: `${COUP}closed: end\nleft: seat 1`,
    leaves: 'seat-left',
  },
};

const coup = told(`${COUP}over:\nevent: person/sam supervisor-called {"reason":"dispute"}`);
const [call, former] = [coup.at(-1) as Sent, coup.at(-2) as Sent];
const LATER = '2026-11-20T23:59:59.999Z';

const ADMISSION: Record<string, Edge> = {
  'no number is missing': {
    within: coup,
    beyond: coup.filter((event) => typeOf(event) !== 'betting-closed'),
    leaves: 'outcome-declared',
    finds: ['DV-04'],
  },
  'a number that comes again has the same content': {
    within: [...coup, former, call],
    beyond: [...coup, { ...former, time: LATER }],
    leaves: 'coup-closed',
    finds: ['DV-15'],
  },
  'an id that comes again has the same content': {
    within: [...coup, call, { ...call, id: 'another' }],
    beyond: [...coup, { ...call, time: LATER }],
    leaves: 'supervisor-called',
    finds: ['DV-15'],
  },
  'an event is about the open shoe': {
    within: told(`${COUP}over:\nleft: seat 1`),
    beyond: told(`${COUP}over:\nleft: seat 1`).map((event) =>
      typeOf(event) === 'seat-left' ? { ...event, shoe: 'S2' } : event,
    ),
    leaves: 'seat-left',
  },
  'no numbers are given up': {
    within: coup,
    beyond: `${COUP}over:\nevent: person/sam gap-declared {"source":"device/T1-shoe","session":"1","from":7,"to":8}\n${NEXT}${COUP}`,
    leaves: 'gap-declared',
  },
  'an event is of a kind that lawful play has': {
    within: COUP,
    beyond: `${COUP}void: by mira because two cards stuck`,
    leaves: 'coup-voided',
  },
};

const SECTIONS: Record<string, Record<string, Edge>> = {
  'of cards': CARDS,
  'of coups': COUPS,
  'of results': RESULTS,
  'of bets': BETS,
  'of money': MONEY,
  'of closings': CLOSINGS,
  'of admission': ADMISSION,
};

describe.each(Object.entries(SECTIONS))('the lane knows the rules %s:', (_, edges) => {
  it.each(Object.entries(edges))('%s', (__, { within, beyond, leaves, finds = [] }) => {
    const [inside, outside] = [logOf(within), logOf(beyond)];
    expect(explained(inside)).toEqual([]);
    expect(explained(outside)[0]).toBe(leaves);
    expect(codesIn(inside)).toEqual([]);
    expect(codesIn(outside)).toEqual(finds);
    expectOneVerdict(inside);
    expectOneVerdict(outside);
  });
});

const codesIn = (events: readonly Sent[]): string[] => [
  ...new Set(codes(audit(events, { book: CUT_BOOK, once: true }).findings)),
];

/** The first coup is explained, because a card of it was seen early. */
const EXPLAINED = COUP.replace('9S', '9S!');

/** The shoe sends no number 6. */
const GIVEN_UP =
  'event: person/sam gap-declared {"source":"device/T1-shoe","session":"1","from":6,"to":6}\n';

/** Logs in which something outlasts what the lane saw. */
const OUTLASTING: Record<string, Log> = {
  'a stake that a void coup owes': `${BET}${HANDS}void: by mira because two cards stuck\n${NEXT}${BET}${COUP}${PAID}`,
  'a stake owed by a coup that was declared void once its shoe was closed': `${BET}${COUP}${PAID.replace('returned 100', 'taken')}closed: end\nvoid: coup 1, by mira because two cards stuck\nshoe: S2\n${BET}${COUP}${PAID}`,
  'a card that is carried over': `${HANDS}moved: KC to next, by mira because it was misplaced\ndeclared: player\n${NEXT}dealt: B 7H P KD B 2C\ndeclared: player\n${NEXT}${COUP}`,
  'a card that is carried over, and dealt over': `${HANDS}moved: KC to next, by mira because it was misplaced\ndeclared: player\n${NEXT}${COUP}${NEXT}${COUP}`,
  'betting that was closed before the coup': `${EXPLAINED}over:\nevent: terminal betting-closed {}\n${NEXT}${BET}betting: never closed\n${COUP}${PAID}`,
  'a device that is offline': `event: shoe device-online {"missed":0}\n${COUP}over:\nevent: shoe device-offline {}\n${NEXT}betting: never closed\ndeclared: player\n${NEXT}${COUP}`,
  'a device that was offline between coups': `event: shoe device-online {"missed":0}\n${COUP}over:\nevent: shoe device-offline {}\nevent: shoe device-online {"missed":2}\n${NEXT}${COUP}${NEXT}${COUP}`,
  'a gap between coups': `${COUP}over:\nlost: 1 of the shoe\nevent: shoe device-error {"code":7}\n${GIVEN_UP}${NEXT}${COUP}${NEXT}${COUP}${NEXT}${COUP}`,
  'a device that went offline in a coup': `event: shoe device-online {"missed":0}\n${HANDS}event: shoe device-offline {}\ndeclared: player\n${NEXT}${COUP}${NEXT}${COUP}`,
  'a gap of the terminal': `${COUP}over:\nlost: 2 of the terminal\n${NEXT}${COUP}${NEXT}${COUP}`,
  'a burn that the rules want': `rules: nsw-crown@1\n${COUP}${NEXT}${COUP}`,
  'a device that came online again under its session': `event: shoe device-online {"missed":0}\n${COUP}over:\nevent: shoe device-online {"missed":1} numbered 1\n${NEXT}${COUP}`,
  'a device that came online again with the same words': again('device-online', [
    ...told(`event: shoe device-online {"missed":0}\n${COUP}over:\n${NEXT}${COUP}`),
  ]),
  'numbers that are given up again': again('gap-declared', [
    ...told(`${COUP}over:\nlost: 1 of the shoe\n${GIVEN_UP}${NEXT}${COUP}over:`),
  ]),
  'a dealer who came within the first coup, where the log ends': `${NEXT}betting: closed\ndealer: mira\ndealt: P 9S`,
  'a cut card that showed twice, where the log ends': `${COUP}over:\ncut card:\ncut card:`,
  'a cut card before the first coup': 'cut card:',
  'a cut card after a coup without cards': `${COUP}${NEXT}void: by mira because two cards stuck\ncut card:\n${NEXT}${COUP}closed: end`,
  'a burn between coups': `${COUP}over:\ndealt: burn 2C\n${NEXT}${COUP}closed: end`,
  'a bet for the next coup, where the log ends': `${BET}${COUP}${PAID}over:\n${BET}`,
  'a correction of the shoe before': `${COUP}closed: end\nshoe: S2\n${COUP}over:\ncorrected: 7H is 9H, by mira because it was misread\n${NEXT}${COUP}`,
  'several coups that are explained': Array<string>(9)
    .fill(`${EXPLAINED}${NEXT}${COUP}`)
    .join(NEXT),
  'a finding about the shoe, which goes out of reach after another dealer came': `${COUP}over:\ndealt: P 2C\n${NEXT}${COUP}${ANOTHER_DEALER}`,
  'a finding about a coup, whose shoe goes out of reach after another dealer came': `${HANDS}declared: banker\n${NEXT}${COUP}${ANOTHER_DEALER}`,
  'a settlement of the shoe before': told(
    `${BET}${COUP}${PAID}closed: end\nshoe: S2\n${BET}${COUP}${PAID}over:\nsettled: seat 2 player returned 50`,
  ).map((event, at, { length }) => (at === length - 1 ? { ...event, shoe: 'S1' } : event)),
  'a message that comes late': late(told(`${COUP}over:\n${NEXT}${COUP}`)),
  'two coups that were opened with one id, of which the first has a finding': underOneId(
    told(`${HANDS}declared: banker\nover:\n${NEXT}${COUP}over:\n`),
  ),
};

const findings = readFileSync(new URL('../../docs/findings.md', import.meta.url), 'utf8');
const EXAMPLES = [...findings.matchAll(/^```story\n([^]*?)^```$/gm)].map(
  ([, story]) => story ?? '',
);

it('the lane takes no line of another table, which the fold refuses', () => {
  const state = newTable('T1');
  const decoder = new Decoder(HOUSE);
  for (const event of told(`${COUP}over:\n${NEXT}`)) {
    const bytes = Buffer.from(lineOf(event));
    const line = (text: Buffer) => ({
      ...{ decoder, block: blockOf(text, text.toString('latin1')), from: 0, to: text.length },
    });
    const other = Buffer.from(lineOf({ ...event, table: 'T2' }));
    const before = state.lane.counts.lane;
    expect(() => fold(state, line(other), CUT_BOOK)).toThrow('T2');
    expect(state.lane.counts.lane).toBe(before);
    fold(state, line(bytes), CUT_BOOK);
  }
  expect(state.lane.counts.lane).toBeGreaterThan(0);
});

describe('the lane and the explaining path have one verdict on', () => {
  it('every example of docs/findings.md', () => {
    expect(EXAMPLES.length).toBeGreaterThan(50);
    for (const example of EXAMPLES) expectOneVerdict(told(example));
  });

  it('a finding about a correction that changes nothing, though a later bet has its id', () => {
    const log = new TableLog();
    const opening = log.open();
    const twice = { id: 'twice' };
    const data = { event: opening, data: {} };
    log.add('shoe', 'observation-corrected', data, { ...twice, shoe: undefined });
    const bet = { seat: 1, bet: 'player', amount: 100 } as const;
    log.add('shoe', 'bet-placed', bet, { ...twice, session: undefined, sequence: undefined });
    expect(codes(audit(log.events).findings)).toContain('PR-09');
    expectOneVerdict(log.events);
  });

  it('a device that came online again after more numbers than are remembered', () => {
    const numbers = 'event: shoe device-error {"code":7}\n'.repeat(CONTENTS_MAX);
    const log = `event: shoe device-online {"missed":0}\n${COUP}over:\n${numbers}event: shoe device-online {"missed":1} numbered 1\n${NEXT}${COUP}`;
    expectSameInBothLanes(told(log).map(lineOf), CUT_BOOK, COURSES[0] as Course);
  });

  it.each(Object.entries(OUTLASTING))('%s', (_, log) => {
    expectOneVerdict(logOf(log));
  });
});

/** Returns a log in which the first event of a type comes again after the first coup. */
function again(type: string, log: readonly Sent[]): readonly Sent[] {
  const event = log.find((each) => typeOf(each) === type) as Sent;
  const over = log.findIndex((each) => typeOf(each) === 'coup-closed') + 1;
  const at = Math.max(over, log.indexOf(event) + 1);
  return [...log.slice(0, at), event, ...log.slice(at)];
}

/** Returns a log in which the second `coup-opened` comes after the next two events. */
function late(events: readonly Sent[]): readonly Sent[] {
  const log = [...events];
  const at = log.findLastIndex((event) => typeOf(event) === 'coup-opened');
  const [moved] = log.splice(at, 1) as [Sent];
  log.splice(at + 2, 0, moved);
  return log;
}

/** Returns a log in which every `coup-opened` has the id of the first. */
function underOneId(events: readonly Sent[]): readonly Sent[] {
  const opening = events.find((event) => typeOf(event) === 'coup-opened') as Sent;
  return events.map((event) =>
    typeOf(event) === 'coup-opened' ? { ...event, id: opening.id } : event,
  );
}

/** Returns the lines of a story in which so many seats bet on the player hand. */
function seats(count: number): string {
  return Array.from({ length: count }, (_, i) => `bet: seat ${i + 1} player 100\n`).join('');
}

function settled(count: number): string {
  return Array.from({ length: count }, (_, i) => PAID.replace('1', String(i + 1))).join('');
}
