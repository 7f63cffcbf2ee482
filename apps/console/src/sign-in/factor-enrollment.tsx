import { type ReactNode, useState } from 'react';
import { type Answers, api, dataOf } from '../api/client.js';
import { lazyPart } from '../app/lazy-part.js';
import { useSubmit } from '../app/submit.js';
import { Button } from '../controls/button.js';
import { Copied } from '../controls/copied.js';
import { Field } from '../controls/field.js';
import { useSpoken } from '../words/words.js';
import { ownRefusalOf, refusalOf } from './refusals.js';

const QrCode = lazyPart(
  async () => (await import('./qr-code.js')).default,
  () => <div className="qr-code" />,
);

interface Props {
  /** Called when the recovery codes are shown. They are not shown again, so they must stay. */
  readonly onCodes?: () => void;
  /** Called when the person has kept the recovery codes. */
  readonly onEnrolled: () => void;
}

/** Enrolls an authenticator app: the password, its secret, a first code, the recovery codes. */
export function FactorEnrollment({ onCodes, onEnrolled }: Props): ReactNode {
  const [begun, setBegun] = useState<Answers['FactorBegunAnswer']>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <RecoveryCodes codes={codes} onKept={onEnrolled} />;
  if (begun)
    return (
      <FirstCode
        begun={begun}
        onConfirmed={(next) => {
          setCodes(next);
          onCodes?.();
        }}
      />
    );
  return <Begin onBegun={setBegun} />;
}

interface BeginProps {
  readonly onBegun: (begun: Answers['FactorBegunAnswer']) => void;
}

function Begin({ onBegun }: BeginProps): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [password, setPassword] = useState('');
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    onBegun(await dataOf(api.POST('/v1/me/second-factor', { body: { password } })));
  });
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <p>{words('factor.how')}</p>
      <Field
        label={words('password.present')}
        error={error === undefined ? undefined : ownRefusalOf(error, spoken)}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Button type="submit" main isPending={isBusy}>
        {words('factor.begin')}
      </Button>
    </form>
  );
}

interface FirstCodeProps {
  readonly begun: Answers['FactorBegunAnswer'];
  readonly onConfirmed: (recoveryCodes: readonly string[]) => void;
}

function FirstCode({ begun: { secret, uri }, onConfirmed }: FirstCodeProps): ReactNode {
  const spoken = useSpoken();
  const { words } = spoken;
  const [code, setCode] = useState('');
  const { error, isBusy, onSubmit } = useSubmit(async () => {
    const body = { code: code.replaceAll(' ', '') };
    const { recoveryCodes } = await dataOf(api.POST('/v1/me/second-factor/confirm', { body }));
    onConfirmed(recoveryCodes);
  });
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <p>
        {words('factor.secretHow')} <a href={uri}>{words('factor.open')}</a>
      </p>
      <QrCode text={uri} label={words('factor.qr')} />
      <Copied label={words('factor.secret')} text={secret} shown={inFours(secret)} />
      <Field
        label={words('signIn.code')}
        hint={words('factor.codeHint')}
        error={error === undefined ? undefined : refusalOf(error, spoken)}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        onChange={setCode}
        isRequired
        autoFocus
      />
      <Button type="submit" main isPending={isBusy}>
        {words('factor.confirm')}
      </Button>
    </form>
  );
}

/** A long secret is typed in groups. */
const inFours = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ');

interface RecoveryProps {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

function RecoveryCodes({ codes, onKept }: RecoveryProps): ReactNode {
  const { words } = useSpoken();
  return (
    <div className="sign-in-form">
      <p role="status">{words('factor.done')}</p>
      <Copied label={words('factor.recovery')} text={codes.join('\n')} shown={codes.join('  ')} />
      <Button main onPress={onKept}>
        {words('factor.kept')}
      </Button>
    </div>
  );
}
