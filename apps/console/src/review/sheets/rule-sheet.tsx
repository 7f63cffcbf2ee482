import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, type SubmitEvent, useState } from 'react';
import { useMe } from '../../app/session/me.js';
import { Button } from '../../controls/button.js';
import { Field } from '../../controls/field.js';
import type { Whole } from '../../finding/coup/whole.js';
import { useKeys } from '../../keys/keys.js';
import { useWords, type Words } from '../../words/words.js';
import type { BodyOf } from '../act.js';
import { Choice } from './choice.js';
import { LookAgain, useLookedAt } from './looked-at.js';
import { type Policy, policyQuery } from '../policy.js';
import { type Rule, useRule } from '../rule.js';

interface Props {
  readonly whole: Whole;
  /** Why nothing can be sent now. */
  readonly refused: string | undefined;
  /** Sends the proposal, and resolves with whether it took effect. */
  readonly onPropose: (body: BodyOf<'propose'>) => Promise<boolean>;
  readonly onClose: () => void;
}

const DIGITS_MAX = 9;
const TEXT_MAX = 4_000;

/** Proposes a ruling: a disposition of the policy in force, and what it needs. */
export function RuleSheet(props: Props): ReactNode {
  const words = useWords();
  const { house } = useMe();
  const { data: policy, error } = useQuery(policyQuery(house.policy));
  if (error && !policy) return <p role="alert">{words('shell.unreachable')}</p>;
  if (!policy) return <p role="status">{words('shell.loading')}</p>;
  return <RuleForm {...props} policy={policy} policyRef={house.policy} />;
}

interface FormProps extends Props {
  readonly policy: Policy;
  readonly policyRef: string;
}

function RuleForm({ whole, policy, policyRef, refused, onPropose, onClose }: FormProps): ReactNode {
  const words = useWords();
  const rule = useRule(whole, policy);
  const [isTried, setTried] = useState(false);
  const evidence = useLookedAt(whole.review.evidence);
  const choose = (digit: number): void => {
    const chosen = policy.dispositions[digit - 1];
    if (chosen) rule.set('disposition', chosen.code);
  };
  useDigits(choose);
  const blocked = refused ?? (evidence.seen === null ? words('reason.coup-open') : undefined);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setTried(true);
    if (evidence.seen === null || evidence.hasChanged || blocked !== undefined) return;
    const body = rule.body(policyRef, evidence.seen);
    if (body && (await onPropose(body))) rule.clear();
  };
  return (
    <form
      className="sheet-form"
      aria-label={words('act.propose')}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => chooseByKey(event, choose)}
    >
      {evidence.hasChanged && <LookAgain onLooked={evidence.look} />}
      <RuleFields {...{ rule, policy }} shown={isTried ? rule.errors : {}} />
      <p className="actions sheet-actions">
        <span>{words(rule.needsTwo ? 'review.needsTwo' : 'review.needsOne')}</span>
        <Button onPress={onClose}>{words('shell.cancel')}</Button>
        <Button type="submit" main refused={blocked}>
          {words('act.proposeGo')}
        </Button>
      </p>
    </form>
  );
}

interface FieldsProps {
  readonly rule: Rule;
  readonly policy: Policy;
  readonly shown: Rule['errors'];
}

function RuleFields({ rule, policy, shown }: FieldsProps): ReactNode {
  const words = useWords();
  const { fields, set, needs } = rule;
  return (
    <>
      <Choice
        label={words('review.dispositions')}
        value={fields['disposition'] ?? null}
        onChange={(code) => set('disposition', code)}
        error={shown['disposition']}
        options={policy.dispositions.map((each, i) => ({
          value: each.code,
          label: words(`disposition.${each.code}`),
          digit: i < DIGITS_MAX ? i + 1 : undefined,
          hint: needsIn(words, each.needs),
        }))}
      />
      <div className="rule-fields">
        <Field
          label={starred(words('field.note'), needs.includes('note'))}
          value={fields['note'] ?? ''}
          onChange={(text) => set('note', text)}
          rows={2}
          maxLength={TEXT_MAX}
          error={shown['note']}
        />
        {rule.currency !== undefined && needs.includes('amount') && (
          <AmountFields {...{ rule, shown, currency: rule.currency }} />
        )}
        <Field
          label={starred(words('field.video'), needs.includes('video'))}
          value={fields['video'] ?? ''}
          onChange={(text) => set('video', text)}
          maxLength={TEXT_MAX}
          error={shown['video']}
        />
      </div>
    </>
  );
}

const needsIn = (words: Words, needs: Rule['needs']): string | undefined =>
  needs.length === 0
    ? undefined
    : words('review.needs', {
        fields: needs.map((name) => words(`review.need.${name}`)).join(', '),
      });

const starred = (label: string, isNeeded: boolean): string => (isNeeded ? `${label} *` : label);

/** Digits choose a disposition, also while none of its controls has the focus. */
function useDigits(choose: (digit: number) => void): void {
  const digits = Array.from({ length: DIGITS_MAX }, (_, i) => i + 1);
  useKeys(
    Object.fromEntries(
      digits.map((digit) => [
        String(digit),
        { means: 'review.dispositions' as const, run: () => choose(digit) },
      ]),
    ),
  );
}

function chooseByKey(event: KeyboardEvent, choose: (digit: number) => void): void {
  const { target, key } = event;
  const isText =
    target instanceof HTMLElement && target.matches('textarea, input:not([type=radio])');
  if (isText || !/^[1-9]$/.test(key) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  choose(Number(key));
}

interface AmountProps {
  readonly rule: Rule;
  readonly shown: Rule['errors'];
  readonly currency: string;
}

function AmountFields({ rule, shown, currency }: AmountProps): ReactNode {
  const words = useWords();
  const { fields, set } = rule;
  return (
    <>
      <Field
        label={starred(words('field.amount', { currency }), true)}
        value={fields['amount'] ?? ''}
        onChange={(text) => set('amount', text)}
        inputMode="decimal"
        error={shown['amount']}
      />
      <Choice
        label={starred(words('field.favours'), true)}
        value={fields['favours'] ?? null}
        onChange={(who) => set('favours', who)}
        orientation="horizontal"
        error={shown['favours']}
        options={(['house', 'patron'] as const).map((who) => ({
          value: who,
          label: words(`favours.${who}`),
        }))}
      />
    </>
  );
}
