import type { ReactNode } from 'react';
import {
  Label,
  RadioButton,
  RadioField,
  RadioGroup,
  type RadioGroupProps,
} from 'react-aria-components';

interface Props extends Omit<RadioGroupProps, 'children'> {
  readonly label: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    /** The key that chooses it. */
    readonly digit?: number | undefined;
    readonly hint?: string | undefined;
  }[];
  readonly error?: string | undefined;
}

/** One of a few choices, each a target of at least 44 px, with the digit that chooses it. */
export function Choice({ label, options, error, ...props }: Props): ReactNode {
  return (
    <RadioGroup {...props} className="choice" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      <div className="choice-options">
        {options.map(({ value, label: name, digit, hint }) => (
          <RadioField key={value} value={value}>
            <RadioButton className="choice-option">
              {digit !== undefined && <kbd aria-hidden="true">{digit}</kbd>}
              <span>
                {name}
                {hint !== undefined && <span className="muted choice-hint"> {hint}</span>}
              </span>
            </RadioButton>
          </RadioField>
        ))}
      </div>
      {error !== undefined && (
        <p className="choice-error" role="alert">
          {error}
        </p>
      )}
    </RadioGroup>
  );
}
