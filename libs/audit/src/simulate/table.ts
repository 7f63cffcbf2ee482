import type { Card } from '#baccarat';
import type { EventData } from '../events/events.js';
import type { FindingCode } from '../findings/catalogue.js';
import { cutDepth, dealFor, type ShoePlan } from './faults/assign.js';
import { chooseWagers } from './coup/betting.js';
import { burnCards } from './shoe/burning.js';
import { CardsOfShoe } from './shoe/cards-of-shoe.js';
import { CommissionBook } from './commission-book.js';
import type { ExpectedFinding } from './expected.js';
import type { CoupFault, ShoeTwist } from './faults/fault.js';
import { COUP_CARDS_MIN, FAULTS, namesCoup } from './faults/faults.js';
import type { Log } from './log.js';
import { isLeftUnremedied } from './faults/prescribed.js';
import type { Random } from './random.js';
import { planStep, tellCoup, type Play, type PlannedStep } from './coup/script.js';
import { SimulationRefusal, type Setting } from './setting.js';

/** The time of a shuffle, from one shoe's close to the next one's opening. */
const SHUFFLE_MS = 480_000;
/** Coups between two reliefs of the dealer, a little over twenty minutes. */
const COUPS_TO_A_RELIEF = 26;

/** A table that deals shoe after shoe. */
export class SimulatedTable {
  private dealer = '';
  private coupsOfDealer = 0;
  private readonly supervisor: string;

  constructor(
    private readonly setting: Setting,
    private readonly random: Random,
    private readonly log: Log,
    private readonly expected: ExpectedFinding[],
  ) {
    this.supervisor = `supervisor-${random.between(1, 9)}`;
  }

  /** Opens the table: its devices come online, and a dealer and a caller sign on. */
  *open(): Generator<string> {
    const caller = `caller-${this.random.between(1, 9)}`;
    this.log.write([
      planStep('shoe', 'device-online', { firmware: '4.2.1' }, 0),
      planStep('terminal', 'device-online', { firmware: '2.0.0' }, 1000),
      planStep('terminal', 'dealer-signed-on', { dealer: caller, role: 'caller' }, 20_000),
    ]);
    this.signOn();
    yield* this.log.take();
  }

  /** Deals one shoe from its opening to its close, a coup's lines at a time. */
  *shoe(number: number, plan: ShoePlan | undefined): Generator<string> {
    const shoe = new SimulatedShoe(
      `${this.setting.table}-${this.log.day}-${number}`,
      this.setting,
      this.random,
      plan,
    );
    this.log.name(shoe.name);
    this.log.write(shoe.open());
    yield* this.log.take();
    while (shoe.permitsCoup()) {
      if (this.coupsOfDealer >= COUPS_TO_A_RELIEF && this.random.chance(40)) this.relieve();
      this.coupsOfDealer += 1;
      this.log.write(shoe.coup(this.dealer, this.supervisor));
      yield* this.log.take();
    }
    this.log.write(shoe.close());
    yield* this.log.take();
    this.expected.push(...shoe.expected);
    this.log.name(undefined);
    this.log.pause(SHUFFLE_MS);
  }

  private signOn(): void {
    this.dealer = `dealer-${this.random.pick(Array.from({ length: 40 }, (_, i) => 101 + i).filter((one) => this.dealer !== `dealer-${one}`))}`;
    this.coupsOfDealer = 0;
    this.log.write([
      planStep('terminal', 'dealer-signed-on', { dealer: this.dealer, role: 'dealer' }, 5000),
    ]);
  }

  private relieve(): void {
    this.log.write([
      planStep('terminal', 'dealer-relieved', { dealer: this.dealer, role: 'dealer' }, 3000),
    ]);
    this.signOn();
  }
}

/** One shoe while it is dealt: its cards, its faults, and its expected findings. */
class SimulatedShoe {
  readonly expected: ExpectedFinding[] = [];
  private readonly decks: number;
  private readonly twist: ShoeTwist;
  private readonly cards: CardsOfShoe;
  private readonly book: CommissionBook;
  private readonly depth: number;
  private lastNumber = 0;
  private cutCardShown = false;
  private coupsLeft = Number.POSITIVE_INFINITY;
  private ranOut = false;
  private stray: Card | null = null;

  constructor(
    readonly name: string,
    private readonly setting: Setting,
    private readonly random: Random,
    private readonly plan: ShoePlan | undefined,
  ) {
    this.twist = Object.assign(
      {},
      ...(plan?.whole ?? []).map((code) => (FAULTS[code] as { readonly twist: ShoeTwist }).twist),
    ) as ShoeTwist;
    this.decks = this.twist.wrongDecks ? unlawfulDecks(setting) : setting.decks;
    this.cards = new CardsOfShoe(this.decks, random);
    this.book = new CommissionBook(setting);
    this.depth = this.twist.toTheEnd ? -1 : cutDepth(setting, this.twist.furtherCoups ?? 0);
  }

  /** Returns the steps that open the shoe and burn its first cards. */
  open(): PlannedStep[] {
    const { rules, currency, reports, limits, bets } = this.setting;
    const opening: EventData['shoe-opened'] = {
      rules: rules.ref,
      decks: this.decks,
      kind: 'physical',
      currency,
      reports,
      ...(bets ? { limits } : undefined),
      ...(rules.hash ? { rulesHash: rules.hash } : undefined),
    };
    const steps = [
      planStep('shoe', 'shoe-opened', opening, 30_000),
      ...burnCards(this.cards, rules, this.twist.burn ?? 'lawful', this.random),
    ];
    const strayAt = [...(this.plan?.coups ?? [])].find(
      ([, code]) => (FAULTS[code] as CoupFault).strayCopy,
    )?.[0];
    if (strayAt !== undefined) this.stray = this.cards.gatherCopies(COUP_CARDS_MIN * (strayAt - 2));
    return steps;
  }

  /** Returns whether another coup is dealt. */
  permitsCoup(): boolean {
    const { coups = Number.POSITIVE_INFINITY } = this.setting;
    return this.coupsLeft > 0 && !this.ranOut && this.lastNumber < coups;
  }

  /** Returns the steps of the next coup, and of what follows it at the table. */
  coup(dealer: string, supervisor: string): PlannedStep[] {
    const before = this.passCutCard();
    const number = this.nextNumber();
    const code = this.plan?.coups.get(number);
    const play = this.deal(number, code, { dealer, supervisor });
    this.lastNumber = number;
    if (Number.isFinite(this.coupsLeft)) this.coupsLeft -= 1;
    if (play.steps.some(({ type }) => type === 'cut-card-drawn'))
      this.showCutCard(this.setting.rules.document.cutCard.insideCoup);
    if (play.dealing.unfinished && this.cards.left === 0) this.ranOut = true;
    if (code) this.expect(code, play);
    this.book.enter(play.steps);
    return [...before, ...play.steps, ...this.visits()];
  }

  /** Returns the steps that close the shoe, after all commission is collected. */
  close(): PlannedStep[] {
    for (const code of this.plan?.whole ?? []) this.expectOfShoe(code);
    const { twist, cards } = this;
    const reason = twist.reasonLeftOut ? undefined : { reason: this.reasonToClose() };
    // If a copy too many was drawn, a list of the remaining cards would report it a second time
    // (SH-04).
    const byCount =
      twist.miscountedBy !== undefined || this.stray !== null || this.random.chance(50);
    const remaining = byCount
      ? { remaining: cards.left + (twist.miscountedBy ?? 0) }
      : { remainingCards: cards.remaining };
    return [
      ...this.book.collectAll(),
      planStep('terminal', 'shoe-closed', { ...reason, ...remaining }, 20_000),
    ];
  }

  private reasonToClose(): 'cut-card' | 'end' | 'operator' {
    if (this.cutCardShown) return 'cut-card';
    return this.twist.toTheEnd ? 'end' : 'operator';
  }

  /** Shows the cut card at the mouth of the shoe between two coups. */
  private passCutCard(): PlannedStep[] {
    if (this.cutCardShown || this.cards.left !== this.depth) return [];
    this.showCutCard(this.setting.rules.document.cutCard.betweenCoups);
    return [planStep('shoe', 'cut-card-drawn', {}, 1500)];
  }

  private showCutCard(permitted: number): void {
    this.cutCardShown = true;
    this.coupsLeft = permitted + (this.twist.furtherCoups ?? 0);
  }

  /** Returns the number of the next coup. Skips one if a fault confuses numbers. */
  private nextNumber(): number {
    const next = this.lastNumber + 1;
    return this.plan?.coups.get(next + 1) === 'DL-16' ? next + 1 : next;
  }

  private deal(
    number: number,
    code: FindingCode | undefined,
    people: { readonly dealer: string; readonly supervisor: string },
  ): Play {
    const { setting, random, cards } = this;
    const fault = code === undefined ? undefined : (FAULTS[code] as CoupFault);
    if (fault?.strayCopy && this.stray) cards.replaceNext(this.stray);
    const left = cards.left;
    const dealing = cards.arrange((top) =>
      dealFor(fault, top, { setting, random, kept: cards.keptCard }),
    );
    if (!dealing)
      throw new SimulationRefusal(
        `${code} cannot be injected into coup ${number}: the remaining cards do not allow it`,
      );
    cards.draw(dealing.draws.length);
    const chosen = setting.bets ? chooseWagers(setting, random) : [];
    const wagers = fault?.bet ? fault.bet(chosen, { setting, dealing, random }) : chosen;
    const play: Play = {
      setting,
      random,
      number,
      kind: fault?.kind ?? 'normal',
      dealing,
      wagers,
      ...people,
      cutDepth: this.cutCardShown ? -1 : this.depth,
      left,
      steps: [],
    };
    tellCoup(play);
    fault?.spoil?.(play);
    return play;
  }

  /** Sometimes a seat pays what it owes, or its patron leaves. */
  private visits(): PlannedStep[] {
    if (!this.setting.bets || !this.random.chance(12)) return [];
    const seat = this.random.between(1, this.setting.seats);
    const leaves = this.random.chance(40)
      ? [planStep('terminal', 'seat-left', { seat }, 5000)]
      : [];
    return [...this.book.collect(seat), ...leaves];
  }

  private expect(code: FindingCode, { number, dealing }: Play): void {
    const fault = FAULTS[code] as CoupFault;
    const { rules, table } = this.setting;
    const coup = namesCoup(code, fault) ? { coup: number } : undefined;
    this.expected.push({ code, table, shoe: this.name, ...coup, fault: code });
    for (const entailed of fault.entails ?? [])
      this.expected.push({ code: entailed, table, shoe: this.name, coup: number, fault: code });
    if (isLeftUnremedied(rules, code, dealing))
      this.expected.push({ code: 'PR-07', table, shoe: this.name, coup: number, fault: code });
  }

  private expectOfShoe(code: FindingCode): void {
    const { rules, table } = this.setting;
    const fault = FAULTS[code];
    const coup = fault.at === 'shoe' && fault.inLastCoup ? { coup: this.lastNumber } : undefined;
    this.expected.push({ code, table, shoe: this.name, ...coup, fault: code });
    const first =
      fault.at === 'shoe' && fault.takesCoup !== undefined ? { coup: fault.takesCoup } : coup;
    if (isLeftUnremedied(rules, code, null))
      this.expected.push({ code: 'PR-07', table, shoe: this.name, ...first, fault: code });
  }
}

/** Returns the least number of decks above the setting's that the document does not allow. */
function unlawfulDecks({ decks, rules: { document } }: Setting): number {
  let wrong = decks + 1;
  while (document.decks.includes(wrong)) wrong += 1;
  return wrong;
}
