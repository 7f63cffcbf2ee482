/**
 * A fault that is planted in the lane: one of its checks or changes is taken out.
 * @typedef {object} PlantedFault
 * @property {string} rule what the lane must not take, or must do
 * @property {string} file below libs/audit/src/lane
 * @property {string} text what stands there, exactly once
 * @property {string} planted what stands there instead
 */

/** @type {(file: string, faults: readonly [string, string, string][]) => PlantedFault[]} */
const ofFile = (file, faults) =>
  faults.map(([rule, text, planted]) => ({ file, rule, text, planted }));

/** The faults, at least one for each rule that the lane knows. */
export const PLANTED_FAULTS = [
  ...ofFile('shoe-lane.ts', [
    ['an unread card is explained', 'card === UNREAD_CARD || ', ''],
    ['an exposed card is explained', 'data.hasPart(CARD.exposed) || ', ''],
    ['a card entered by hand is explained', " || origin.source.startsWith('person/')", ''],
    [
      'a shoe has as many copies of a card as decks (SH-02)',
      'if ((this.copies[card] as number) >= this.shoe.decks) return false;',
      '',
    ],
    [
      'copies are counted',
      'this.copies[card] = (this.copies[card] as number) + 1;\n    this.drawn',
      'this.drawn',
    ],
    ['cards drawn are counted', 'this.drawn += 1;', ''],
    [
      'cards burned before the first coup are kept',
      'if (this.coups === 0) this.burned.push',
      'this.burned.push',
    ],
    [
      'between coups a card may go out or be burned, not to a hand',
      'else if (to !== TO.out) return false;',
      '',
    ],
    ['the last coup with cards is kept', 'this.lastWithCards = this.lastNumber;', ''],
    [
      'nobody signs on in an open coup',
      "if (this.isCoupOpen && scanner.type === 'dealer-signed-on') return false;",
      '',
    ],
    [
      'reliefs and sign-ons change who is on duty',
      "changeDuty(duty, scanner.event() as EventOf<'dealer-signed-on' | 'dealer-relieved'>);",
      '',
    ],
    [
      'a card comes where it is due',
      'const isDue =\n      (to',
      'const isDue = true ||\n      (to',
    ],
    [
      'a dealer is on duty where dealers are reported',
      'return isDue && (dealer !== null || !this.shoe.reports.dealers);',
      'return isDue;',
    ],
    [
      'another kind of coup is explained',
      'if (!isNormal || this.isCoupOpen',
      'if (this.isCoupOpen',
    ],
    ['no coup opens in an open one', '!isNormal || this.isCoupOpen || ', '!isNormal || '],
    ['coups are numbered in turn', ' || number !== this.lastNumber + 1)', ')'],
    [
      'no coup opens after the last',
      'if (this.coupsLeft !== null && this.coupsLeft < 1) return false;',
      '',
    ],
    [
      'the burn is as the rules have it',
      'if (this.coups === 0 && !this.isBurnLawful()) return false;',
      '',
    ],
    [
      'coups after the cut card are counted',
      'if (this.coupsLeft !== null) this.coupsLeft -= 1;',
      '',
    ],
    [
      'a new coup has no cards of the last',
      'this.isBettingClosed = this.isDeclared = false;\n    this.coup.clear();',
      'this.isBettingClosed = this.isDeclared = false;',
    ],
    [
      'a new coup is not declared yet',
      'this.isBettingClosed = this.isDeclared = false;',
      'this.isBettingClosed = false;',
    ],
    [
      'a new coup takes bets',
      'this.isBettingClosed = this.isDeclared = false;',
      'this.isDeclared = false;',
    ],
    ['an unread first burn card is explained', 'if (first === null) return false;', ''],
    [
      'how many cards are burned depends on the first',
      '|| byFirstCard.includes(burned.length - 1)',
      '|| byFirstCard.length > 0',
    ],
    [
      'no bet after betting closed',
      '(this.isBettingClosed || this.coup.hasCards))) return false;',
      'this.coup.hasCards)) return false;',
    ],
    [
      'no bet after the first card',
      '(this.isBettingClosed || this.coup.hasCards))) return false;',
      'this.isBettingClosed)) return false;',
    ],
    [
      'a bet that the rules do not have is explained',
      'if (bet < 0 || (this.isCoupOpen',
      'if ((this.isCoupOpen',
    ],
    [
      'betting closes in a coup',
      'if (!this.isCoupOpen || this.isBettingClosed || this.coup.hasCards) return false;\n    if (!this.wagers',
      'if (this.isBettingClosed || this.coup.hasCards) return false;\n    if (!this.wagers',
    ],
    [
      'betting closes once',
      'if (!this.isCoupOpen || this.isBettingClosed || this.coup.hasCards) return false;\n    if (!this.wagers',
      'if (!this.isCoupOpen || this.coup.hasCards) return false;\n    if (!this.wagers',
    ],
    [
      'betting closes before the first card',
      'if (!this.isCoupOpen || this.isBettingClosed || this.coup.hasCards) return false;\n    if (!this.wagers',
      'if (!this.isCoupOpen || this.isBettingClosed) return false;\n    if (!this.wagers',
    ],
    [
      'bets are within limits when betting closes',
      'if (!this.wagers.areWithinLimits()) return false;\n    this.isBettingClosed',
      'this.isBettingClosed',
    ],
    [
      'a hand that is called has cards',
      'return this.isCoupOpen && hand.count > 0 && ',
      'return this.isCoupOpen && ',
    ],
    ['a called total is that of the cards', '&& data.numberAt(CALLED.total) === hand.total', ''],
    [
      'an outcome is declared of a coup that is dealt',
      'if (!this.isCoupOpen || !coup.isDealt) return false;\n    if (!this.isDeclared',
      'if (!this.isDeclared',
    ],
    [
      'an outcome is declared before bets are settled',
      'if (!this.isDeclared && this.wagers.isAnySettled) return false;',
      '',
    ],
    [
      'the outcome is that of the cards',
      'if (data.numberAt(DECLARED.outcome) !== made) return false;',
      '',
    ],
    [
      'the declared player total is that of the cards',
      'if (data.hasPart(DECLARED.player) && data.numberAt(DECLARED.player) !== player) return false;',
      '',
    ],
    [
      'the declared banker total is that of the cards',
      'if (data.hasPart(DECLARED.banker) && data.numberAt(DECLARED.banker) !== banker) return false;',
      '',
    ],
    [
      'declared specials are those of the cards',
      'if (!this.rules.areSpecials(data.textAt(DECLARED.specials), names, coup)) return false;',
      'names();',
    ],
    ['a declaration is remembered', 'this.isDeclared = true;', ''],
    [
      'a settlement is of a bet that the rules have, in a coup',
      'if (bet < 0 || !this.isCoupOpen) return false;',
      '',
    ],
    ['commission taken goes on the account', 'account.taken += taken;', ''],
    ['commission marked goes on the account', 'account.marked += marked;', ''],
    [
      'commission of a settlement counts as taken and marked',
      'charged: taken + marked',
      'charged: taken',
    ],
    [
      'a coup that closes is open and dealt',
      'if (!this.isCoupOpen || !coup.isDealt) return false;\n    if (reports',
      'if (!this.isCoupOpen) return false;\n    if (reports',
    ],
    [
      'a coup that closes is declared, where outcomes are reported',
      'if (reports.outcomes && !this.isDeclared) return false;',
      '',
    ],
    [
      'bets are within limits when a coup closes',
      'if (!wagers.areWithinLimits()) return false;',
      '',
    ],
    [
      'bets are settled as the rules have them',
      'if (!wagers.areSettled(coup, reports)) return false;',
      'wagers.areSettled(coup, reports);',
    ],
    ['commission due goes on the account', 'this.account(seat).due += due;', 'this.account(seat);'],
    ['bets of a coup end with it', 'wagers.clear();\n    this.isCoupOpen', 'this.isCoupOpen'],
    [
      'only the first showing of the cut card counts',
      'if (this.coupsLeft !== null) return true; // only its first showing counts',
      '',
    ],
    [
      'the cut card in a coup leaves as many coups as the rules say',
      'this.coupsLeft = this.isCoupOpen ? insideCoup : betweenCoups;',
      'this.coupsLeft = betweenCoups;',
    ],
    [
      'a cut card before the first card of a coup is explained',
      'if (this.isCoupOpen && !this.coup.hasCards) return false;\n    this.coupsLeft',
      'this.coupsLeft',
    ],
    [
      'no more commission is collected than is owed',
      'if (amount > (known ? outstanding(known) : 0)) return false;',
      '',
    ],
    ['collected commission goes on the account', 'this.account(seat).collected += amount;', ''],
    [
      'a seat that leaves owes nothing',
      'return !account || !this.shoe.reports.commission || outstanding(account) <= 0;',
      'return true;',
    ],
    [
      'a shoe closes between coups',
      'if (this.isCoupOpen || this.wagers.size > 0) return false;',
      'if (this.wagers.size > 0) return false;',
    ],
    [
      'no bet waits when a shoe closes',
      'if (this.isCoupOpen || this.wagers.size > 0) return false;',
      'if (this.isCoupOpen) return false;',
    ],
    ['a closing has a reason', 'if (data.reason === undefined || !this', 'if (!this'],
    [
      'the cards of a closed shoe are whole',
      'if (data.reason === undefined || !this.areCardsWhole(data)) return false;',
      'if (data.reason === undefined) return false;',
    ],
    [
      'no seat owes commission when a shoe closes',
      'for (const seat of this.ledger.keys()) if (!this.owesNothing(seat)) return false;',
      '',
    ],
    [
      'the remaining cards are as many as are left',
      'if (remaining !== undefined && remaining !== left) return false;',
      '',
    ],
    ['the remaining cards are listed all', 'if (remainingCards.length !== left) return false;', ''],
    [
      'each card is there as often as there are decks',
      'return copies.every((count) => count === shoe.decks);',
      'return true;',
    ],
  ]),
  ...ofFile('coup-lane.ts', [
    [
      'totals are modulo ten',
      '(this.total + (VALUES[card] as number)) % 10',
      'this.total + (VALUES[card] as number)',
    ],
    [
      'after two cards each, the rules say what is due',
      'this.due = rules.due(player.total, banker.total, NO_THIRD);',
      'this.due = DUE.none;',
    ],
    [
      'the banker draws by the third card of the player',
      'else this.due = rules.due(this.playerTwo, banker.total, VALUES[card] as number);',
      'else this.due = DUE.none;',
    ],
    ['a suited pair is more than a pair', 'if (first === second) return 2;', ''],
    ['a pair has one rank', 'return RANK[first] === RANK[second] ? 1 : 0;', 'return 0;'],
  ]),
  ...ofFile('wagers.ts', [
    [
      'a stake is what was placed in all',
      'this.stands[i] = (this.stands[i] as number) + amount;',
      'this.stands[i] = amount;',
    ],
    ['no more is withdrawn than stands', 'if (stands < amount) return false;', ''],
    [
      'a bet that is settled has a stake',
      'if (i < 0 || this.stands[i] === 0) return false;',
      'if (i < 0) return false;',
    ],
    [
      'payments of one bet add up',
      'this.paid[i] = (this.paid[i] as number) + paid;',
      'this.paid[i] = paid;',
    ],
    [
      'a stake is at least the minimum',
      '(stake < limit.min || stake > limit.max)',
      'stake > limit.max',
    ],
    [
      'a stake is at most the maximum',
      '(stake < limit.min || stake > limit.max)',
      'stake < limit.min',
    ],
    [
      'a bet without a stake is not settled',
      'if (this.stakes[i] !== STAKE.none) return false;',
      '',
    ],
    ['every bet is settled where settlements are reported', 'if (settlements) return false;', ''],
    ['a coup with bets has a bet', 'return isAny;', 'return true;'],
    ['a bet is paid as the rules have it', '|| paid[i] !== won', ''],
    ['a stake is returned or taken as the rules have it', 'if (stakes[i] !== wanted || ', 'if ('],
    [
      'commission is charged as it is due',
      'return charged[i] === due || (charged[i] === 0 && !isReported);',
      'return true;',
    ],
    [
      'commission is charged where it is reported',
      '(charged[i] === 0 && !isReported)',
      'charged[i] === 0',
    ],
  ]),
  ...ofFile('lane.ts', [
    [
      'a line names the table',
      'if (scanner?.origin.table !== state.table || state.desk.watched.size > 0) return false;',
      'if (!scanner || state.desk.watched.size > 0) return false;',
    ],
    // not planted: that nothing is taken while a finding is claimed. No log is known whose verdict
    // it changes, because nothing that the lane takes touches the evidence of a finding
    [
      'numbers that come too early are explained',
      'if (!session || sequence > session.next) return EXPLAIN;',
      'if (!session) return EXPLAIN;',
    ],
    [
      'a repeat has the content that was admitted',
      'return digests[sequence % CONTENTS_MAX] === scanner.digest();',
      'return true;',
    ],
    [
      'a device that comes online again is explained',
      "if (type === 'device-online') return false;",
      '',
    ],
    [
      'a session that sends is the latest',
      'if (at > 0) toFront(sessions, at);\n    session.digests',
      'session.digests',
    ],
    [
      'a number that was admitted has its digest kept',
      'session.digests[sequence % CONTENTS_MAX] = scanner.digest();',
      '',
    ],
    ['the next number is one more', 'session.next = sequence + 1;', 'session.next = sequence;'],
    [
      'an id with another content is explained',
      'return known === digest ? REPEAT : EXPLAIN;',
      'return REPEAT;',
    ],
    ['an id that was admitted is remembered', 'admission.ids.set(reference, digest);', ''],
    ['an event names the open shoe', 'origin.shoe !== shoe.shoe.name || ', ''],
    [
      'an event of a closed shoe is explained',
      '(origin.shoe !== shoe.shoe.name || shoe.isClosed)',
      '(origin.shoe !== shoe.shoe.name)',
    ],
    ['the lane begins between coups', ' || open.coup || ', ' || '],
    ['the lane begins with nothing outstanding', '!isSettled(open) || ', ''],
    [
      'the lane begins once the shoe before owes nothing',
      ' || (before && before.owing > 0)) return null;',
      ') return null;',
    ],
    [
      'rules by which a hand may choose are explained whole',
      ' || RuleTables.of(open.rules).hasChoice',
      '',
    ],
    [
      'what a source sends is heard',
      'hearOf(state.sources, scanner.origin.source, scanner.messages, counts.admitted);',
      '',
    ],
    ['an explained event lets the open shoe catch up', 'if (open && !isLeft) this.fall(open);', ''],
    [
      'an event that reaches back lets the shoe before catch up',
      'if (before && reachesBefore(state, before, event)) this.catchUpWith(before);',
      '',
    ],
  ]),
];
