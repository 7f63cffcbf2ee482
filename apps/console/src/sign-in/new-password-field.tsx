import type { ReactNode } from 'react';
import { Field } from '../controls/field.js';
import { useWords } from '../words/words.js';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
}

/** Asks for a new password once. Password managers may fill it in, and pasting works. */
export function NewPasswordField({ value, onChange, error }: Props): ReactNode {
  const words = useWords();
  return (
    <Field
      label={words('password.new')}
      hint={words('password.rule')}
      error={error}
      name="new-password"
      type="password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      isRequired
    />
  );
}
