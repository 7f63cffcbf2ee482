import type { ReactNode } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import './choice.css';

interface Props<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** What there is to choose, each with its name. */
  readonly options: readonly { readonly value: Value; readonly name: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

/** Chooses one of a few values, all of which are shown. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: Props<Value>): ReactNode {
  return (
    <RadioGroup
      className="choice"
      value={value}
      onChange={(next) => onChange(next as Value)}
      orientation="horizontal"
    >
      <Label>{label}</Label>
      <div className="choice-options">
        {options.map((each) => (
          <RadioField key={each.value} value={each.value}>
            <RadioButton className="choice-option">
              <span className="choice-mark" aria-hidden />
              {each.name}
            </RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
