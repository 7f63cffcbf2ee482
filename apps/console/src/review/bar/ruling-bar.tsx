import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useMay, useMe } from '../../app/session/me.js';
import { Button } from '../../controls/button.js';
import { notify } from '../../controls/notices.js';
import type { Whole } from '../../finding/coup/whole.js';
import { type ScreenKeys, useKeys } from '../../keys/keys.js';
import { useLiveness } from '../../live/live.js';
import { useFormats } from '../../words/formats.js';
import { type Key, useWords } from '../../words/words.js';
import type { BodyOf, Command, Taken } from '../act.js';
import { ActSheet, type SmallCommand } from '../sheets/act-sheet.js';
import { useBarHeight } from './bar-height.js';
import { useClaimOfAnother } from './claim-of-another.js';
import { ConfirmSheet } from '../sheets/confirm-sheet.js';
import { Conflict, Standing } from '../conflict.js';
import { Fallen, Meanwhile } from '../changes.js';
import { Lease } from './lease.js';
import { policyQuery, usePolicy } from '../policy.js';
import { RuleSheet } from '../sheets/rule-sheet.js';
import { type Acts, useActs } from '../use-acts.js';
import { useOffer } from './use-offer.js';
import { useWantedSheet } from '../sheets/wanted-sheet.js';
import '../review.css';

/** What a screen does with the commands on one finding. */
export interface Desk {
  readonly acts: Acts;
  /** The sheet that is open. */
  readonly open: Command | undefined;
  readonly setOpen: (command: Command | undefined) => void;
  /** Returns why a command cannot be sent now, or undefined. */
  readonly refusedWhy: (command: Command) => string | undefined;
}

/** Returns the commands on one finding, each with what it is refused for. */
export function useDesk(whole: Whole): Desk {
  const words = useWords();
  const formats = useFormats();
  const acts = useActs(whole.finding.id);
  const { is } = useLiveness();
  const [chosen, setOpen] = useState<Command>();
  const [wanted, forgetWanted] = useWantedSheet(whole.finding.id);
  const { may, claim } = whole.review;
  const refusedWhy = (command: Command): string | undefined => {
    if (is === 'lost') return words('review.offline');
    if (acts.busy) return words('review.busy');
    const answer = may?.[command] ?? 'not-permitted';
    if (answer === true) return undefined;
    const isHeld =
      answer === 'claimed-by-another' ||
      (answer === 'not-claimed' && may?.claim === 'claimed-by-another');
    return isHeld && claim
      ? words('reason.claimedBy', { person: claim.by, time: formats.time(claim.until) })
      : words(`reason.${answer}`);
  };
  return {
    acts,
    open: wanted ?? chosen,
    refusedWhy,
    setOpen: (command) => {
      acts.forget();
      forgetWanted();
      setOpen(command);
    },
  };
}

interface Props {
  readonly whole: Whole;
  readonly desk: Desk;
}

/** The bar of the ruling, where the thumb is: each command, or the reason why it is refused. */
export function RulingBar({ whole, desk }: Props): ReactNode {
  const words = useWords();
  const isReviewer = useMay('review-findings');
  const claim = useClaimOfAnother(whole);
  const { acts } = desk;
  const bar = useBarHeight();
  return (
    <section ref={bar} className="ruling no-print" aria-label={words('review.bar')}>
      <Meanwhile whole={whole} />
      {whole.review.stale && whole.review.state === 'open' && <Fallen whole={whole} />}
      <div className="ruling-standing">
        <Standing review={{ ...whole.review, claim }} />
      </div>
      {isReviewer ? <Commands {...{ whole, desk }} /> : <p>{words('review.readOnly')}</p>}
      {acts.asking && <ConfirmSheet onDone={acts.asking} />}
    </section>
  );
}

const SMALL = ['comment', 'video', 'escalate', 'take-back', 'reopen'] as const;

function Commands({ whole, desk }: Props): ReactNode {
  const words = useWords();
  const { acts, open, setOpen, refusedWhy } = desk;
  const { may } = whole.review;
  const lease = useLease();
  const isHeld = may?.release === true;
  const claim = () => acts.send('claim', { lease });
  const rule = useRule({ whole, desk, claim });
  const hold = {
    refused: refusedWhy(isHeld ? 'release' : 'claim'),
    change: () => void (isHeld ? acts.send('release', {}) : claim()),
  };
  useBarKeys({ desk, rule, hold });
  const small = (command: SmallCommand): ReactNode => (
    <Button
      key={command}
      className="ruling-button"
      refused={refusedWhy(command)}
      main={open === undefined && command === 'sign' && may?.sign === true}
      aria-expanded={open === command}
      onPress={() => setOpen(open === command ? undefined : command)}
    >
      {words(`act.${command}`)}
    </Button>
  );
  return (
    <>
      {open !== undefined && <OpenSheet {...{ whole, desk }} />}
      {open === undefined && acts.failed && (
        <Conflict failed={acts.failed} currency={whole.currency} />
      )}
      <MyLease {...{ whole, desk, lease, claim }} renew={() => acts.renew({ lease })} />
      <div className="ruling-buttons">
        <div className="ruling-more">{SMALL.map(small)}</div>
        <div className="ruling-main">
          <Button className="ruling-button" refused={hold.refused} onPress={hold.change}>
            {words(isHeld ? 'act.release' : 'act.claim')}
          </Button>
          {small('refuse')}
          {small('sign')}
          <Button
            className="ruling-button"
            main={open === undefined && may?.sign !== true}
            refused={rule.refused}
            aria-expanded={open === 'propose'}
            onPress={rule.start}
          >
            {words('act.propose')}
          </Button>
        </div>
      </div>
    </>
  );
}

/** The lease of a claim by the policy in force, in seconds. */
function useLease(): number {
  const { house } = useMe();
  const { data } = useQuery(policyQuery(house.policy));
  return data?.lease ?? LEASE_DEFAULT;
}
const LEASE_DEFAULT = 600;

interface Starts extends Props {
  readonly claim: () => Promise<Taken | undefined>;
}

interface Rule {
  readonly start: () => void;
  readonly refused: string | undefined;
}

/**
 * Opens the rule sheet. If nobody has claimed the finding, that comes first. The sheet keeps what
 * the person saw when it opened, so it opens once the claim is shown: its evidence comes with it.
 */
function useRule({ whole, desk, claim }: Starts): Rule {
  const { may } = whole.review;
  const { open, setOpen, refusedWhy } = desk;
  const { person } = useMe();
  const isDue = useRef(false);
  const isMine = whole.review.claim?.by === person;
  const claimsFirst = may?.propose === 'not-claimed' && may.claim === true;
  const start = async (): Promise<void> => {
    if (open === 'propose') setOpen(undefined);
    else if (!claimsFirst) setOpen('propose');
    else {
      isDue.current = true;
      if (!(await claim())) isDue.current = false;
    }
  };
  useEffect(() => {
    if (!isMine || !isDue.current) return;
    isDue.current = false;
    setOpen('propose');
  }, [isMine, setOpen]);
  return {
    refused: refusedWhy(claimsFirst ? 'claim' : 'propose'),
    start: () => void start(),
  };
}

interface KeysOf {
  readonly desk: Desk;
  readonly rule: Rule;
  /** Claims the finding, or releases it if this person holds it. */
  readonly hold: { readonly refused: string | undefined; readonly change: () => void };
}

/** Keys claim, release and open sheets. None sends what a sheet has. */
function useBarKeys({ desk, rule, hold }: KeysOf): void {
  const { refusedWhy, setOpen, open } = desk;
  const unless = (why: string | undefined, run: () => void): void =>
    why === undefined ? run() : notify({ text: why });
  const opens = (command: SmallCommand, means: Key) => ({
    means,
    run: () => unless(refusedWhy(command), () => setOpen(command)),
  });
  const keys: ScreenKeys = {
    c: { means: 'key.claim', run: () => unless(hold.refused, hold.change) },
    r: { means: 'key.rule', run: () => unless(rule.refused, rule.start) },
    s: opens('sign', 'key.sign'),
    x: opens('refuse', 'key.refuse'),
    u: opens('take-back', 'key.takeBack'),
    m: opens('comment', 'key.comment'),
    e: opens('escalate', 'key.escalate'),
    v: opens('video', 'key.video'),
    ...(open !== undefined && {
      Escape: { means: 'shell.close' as const, run: () => setOpen(undefined) },
    }),
  };
  useKeys(keys);
}

interface LeaseProps extends Starts {
  readonly lease: number;
  readonly renew: () => Promise<Taken | undefined>;
}

function MyLease({ whole, desk, lease, claim, renew }: LeaseProps): ReactNode {
  const { person } = useMe();
  const { claim: held } = whole.review;
  if (!held || held.by !== person) return null;
  return (
    <Lease
      until={held.until}
      lease={lease}
      clockAheadMs={whole.clockAheadMs}
      keep={claim}
      renew={renew}
      canKeep={desk.refusedWhy('claim') === undefined}
    />
  );
}

/**
 * Moves the focus into a sheet once its fields are there, without scrolling the cards away, and back
 * to where it was once the sheet is closed.
 */
function useFocusIn(sheet: RefObject<HTMLElement | null>, open: Command | undefined): void {
  const policy = usePolicy();
  const hasFields = open !== 'propose' || policy !== undefined;
  useEffect(() => {
    if (!hasFields) return;
    const before = document.activeElement;
    const first =
      sheet.current?.querySelector<HTMLElement>('input:checked') ??
      sheet.current?.querySelector<HTMLElement>('input, textarea');
    first?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, [sheet, open, hasFields]);
}

/** The sheet of the command that was chosen, over the bar. Escape closes it. */
function OpenSheet({ whole, desk }: Props): ReactNode {
  const words = useWords();
  const { acts, open, setOpen, refusedWhy } = desk;
  const sheet = useRef<HTMLDivElement>(null);
  useFocusIn(sheet, open);
  const offer = useOffer(whole.finding.id);
  const propose = async (body: BodyOf<'propose'>): Promise<boolean> => {
    const taken = await acts.send('propose', body);
    if (!taken) return false;
    setOpen(undefined);
    offer(taken, body.disposition);
    return true;
  };
  const sendSmall = async (command: SmallCommand, body: BodyOf<SmallCommand>): Promise<boolean> => {
    const taken = await acts.send(command, body);
    if (!taken) return false;
    setOpen(undefined);
    notify({ text: words('review.taken', { act: words(`act.${command}`) }) });
    return true;
  };
  if (open === undefined || open === 'claim' || open === 'release') return null;
  const refused = refusedWhy(open);
  const close = (): void => setOpen(undefined);
  return (
    <div
      ref={sheet}
      className="ruling-sheet"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault(); // or the same press would leave the screen too
        close();
      }}
    >
      {acts.failed && <Conflict failed={acts.failed} currency={whole.currency} />}
      {open === 'propose' ? (
        <RuleSheet {...{ whole, refused }} onPropose={propose} onClose={close} />
      ) : (
        <ActSheet
          key={open}
          command={open}
          {...{ whole, refused }}
          onSend={sendSmall}
          onClose={close}
        />
      )}
    </div>
  );
}
