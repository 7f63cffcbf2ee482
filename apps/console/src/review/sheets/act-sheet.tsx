import { type SubmitEvent, type ReactNode, useState } from 'react';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import { dispositionIn } from '../../finding/history.js';
import type { Whole } from '../../finding/coup/whole.js';
import { useFormats } from '../../words/formats.js';
import { useWords } from '../../words/words.js';
import type { BodyOf, Command } from '../act.js';
import { Choice } from './choice.js';
import { filled, type Fields, useFields } from './fields.js';
import { LookAgain, useLookedAt } from './looked-at.js';

/** The commands that have a small sheet of their own. */
export type SmallCommand = Exclude<Command, 'claim' | 'release' | 'propose'>;

interface Props {
  readonly command: SmallCommand;
  readonly whole: Whole;
  readonly refused: string | undefined;
  readonly onSend: (command: SmallCommand, body: BodyOf<SmallCommand>) => Promise<boolean>;
  readonly onClose: () => void;
}

type FieldName =
  'text' | 'note' | 'reason' | 'video' | 'camera' | 'to' | 'request' | 'more' | 'days';

interface Form {
  readonly fields: readonly FieldName[];
  readonly required: readonly FieldName[];
}

/** What each command asks for. Numbers of `more` are minutes, those of `days` are days. */
const FORMS: Readonly<Record<SmallCommand, Form>> = {
  comment: { fields: ['text', 'video'], required: ['text'] },
  video: { fields: ['video'], required: ['video'] },
  hold: { fields: ['more', 'camera', 'reason'], required: [] },
  held: { fields: ['request', 'days', 'video'], required: ['request', 'days'] },
  sign: { fields: ['note'], required: [] },
  refuse: { fields: ['reason'], required: ['reason'] },
  'take-back': { fields: ['reason'], required: [] },
  escalate: { fields: ['to', 'reason'], required: ['to', 'reason'] },
  reopen: { fields: ['reason'], required: ['reason'] },
};

const LONG: readonly FieldName[] = ['text', 'note', 'reason'];
const NUMBERS: Partial<Record<FieldName, RegExp>> = {
  more: /^\d{1,4}$/,
  days: /^[1-9]\d{0,3}$/,
};
const ROLES = ['pit-boss', 'surveillance', 'compliance'] as const;

/** Asks for what a command needs, and sends it. What is typed is kept until it took effect. */
export function ActSheet({ command, whole, refused, onSend, onClose }: Props): ReactNode {
  const words = useWords();
  const { fields, set, clear } = useFields(`${command}/${whole.finding.id}`, DEFAULTS);
  const [isTried, setTried] = useState(false);
  const [isSending, setSending] = useState(false);
  const about = useLookedAt(aboutOf(command, whole));
  const values = filled(fields);
  const faults = faultsOf(command, values);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (faults.length > 0 || !about.seen || about.hasChanged || refused !== undefined) return;
    const parts = { ...partsOf(command, whole, values), ...about.seen };
    setSending(true); // what is sent changes what is there
    if (await onSend(command, parts as BodyOf<SmallCommand>)) clear();
    setSending(false);
  };
  return (
    <form
      className="sheet-form"
      aria-label={words(`act.${command}`)}
      onSubmit={(event) => void submit(event)}
    >
      {about.hasChanged && !isSending && <LookAgain onLooked={about.look} />}
      {command === 'sign' && <Signed whole={whole} />}
      <div className="rule-fields">
        {FORMS[command].fields.map((name) => (
          <OneField
            key={name}
            {...{ name, whole }}
            value={fields[name] ?? ''}
            onChange={(text) => set(name, text)}
            isRequired={FORMS[command].required.includes(name)}
            error={isTried && faults.includes(name) ? words('review.required') : undefined}
          />
        ))}
      </div>
      <p className="actions sheet-actions">
        <Button onPress={onClose}>{words('shell.cancel')}</Button>
        <Button type="submit" main refused={refused}>
          {words(`act.${command}`)}
        </Button>
      </p>
    </form>
  );
}

const DEFAULTS: Fields = { more: '0', days: '90' };

interface OneProps {
  readonly name: FieldName;
  readonly whole: Whole;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly isRequired: boolean;
  readonly error: string | undefined;
}

function OneField({ name, whole, isRequired, value, ...props }: OneProps): ReactNode {
  const words = useWords();
  const { dateTime } = useFormats();
  const label = words(`field.${name}`) + (isRequired ? ' *' : '');
  const choices =
    name === 'to'
      ? ROLES.map((role) => ({ value: role, label: words(`role.${role}`) }))
      : name === 'request'
        ? whole.video.holds
            .filter(({ type }) => type === 'finding-video-hold-requested')
            .map(({ ref, by, at }) => ({ value: ref, label: `${by} · ${dateTime(at)}` }))
        : undefined;
  if (choices) return <Choice {...props} value={value || null} label={label} options={choices} />;
  return (
    <Field
      {...props}
      label={label}
      value={value}
      {...(LONG.includes(name) && { rows: 2 })}
      {...(NUMBERS[name] && { inputMode: 'numeric' as const })}
      maxLength={4_000}
    />
  );
}

function Signed({ whole: { review } }: Pick<Props, 'whole'>): ReactNode {
  const words = useWords();
  if (!review.proposal) return null;
  return (
    <p>
      {words('review.signed', {
        disposition: dispositionIn(words, review.proposal.disposition),
        person: review.proposal.by,
      })}{' '}
      <span className="muted">
        {words('review.signsEvidence', { evidence: (review.evidence ?? '').slice(0, 12) })}…
      </span>
    </p>
  );
}

/** Returns the fields that are missing or are not numbers. */
function faultsOf(command: SmallCommand, values: Fields): FieldName[] {
  const { fields, required } = FORMS[command];
  return fields.filter((name) => {
    const value = values[name];
    if (value === undefined) return required.includes(name);
    return NUMBERS[name] !== undefined && !NUMBERS[name].test(value);
  });
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What a command is about: it is sent as the person saw it. */
interface About {
  readonly proposal?: string;
  readonly ruling?: string;
  readonly evidence?: string;
}

/** Returns what a command is about, or undefined if it is no longer there. */
function aboutOf(command: SmallCommand, { review }: Whole): About | undefined {
  const { proposal, ruling, evidence } = review;
  switch (command) {
    case 'sign':
      return proposal && evidence !== null ? { proposal: proposal.ref, evidence } : undefined;
    case 'refuse':
    case 'take-back':
      return proposal ? { proposal: proposal.ref } : undefined;
    case 'reopen':
      return ruling ? { ruling: ruling.ref } : undefined;
    default:
      return {};
  }
}

/** Returns the fields of a command's body that are typed. */
function partsOf(
  command: SmallCommand,
  { video, clockAheadMs }: Whole,
  values: Record<string, string>,
): object {
  const { more = '0', days = '0', ...texts } = values;
  const own = Object.fromEntries(
    Object.entries(texts).filter(([name]) => FORMS[command].fields.includes(name as FieldName)),
  );
  switch (command) {
    case 'hold':
      return {
        ...own,
        from: shifted(video.from, -Number(more) * MINUTE_MS),
        to: shifted(video.to, Number(more) * MINUTE_MS),
      };
    case 'held':
      return {
        ...own,
        until: new Date(Date.now() + clockAheadMs + Number(days) * DAY_MS).toISOString(),
      };
    default:
      return own;
  }
}

const shifted = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();
