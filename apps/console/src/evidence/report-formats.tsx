import type { ReactNode } from 'react';
import { CheckboxGroup, Label } from 'react-aria-components';
import type { Answers } from '../api/client.js';
import { Check } from '../controls/check.js';
import { useWords } from '../words/words.js';

/** A format of the reports in a package. */
export type Format = NonNullable<Answers['NewExport']['formats']>[number];

/** Each format once. The compiler refuses a list that the api does not share. */
const FORMATS = Object.keys({
  csv: true,
  xlsx: true,
  pdf: true,
} satisfies Record<Format, true>) as Format[];

interface Props {
  readonly formats: readonly Format[];
  readonly onChange: (formats: readonly Format[]) => void;
}

/** The formats of reports for people, beside what is proven. */
export function Reports({ formats, onChange }: Props): ReactNode {
  const words = useWords();
  return (
    <CheckboxGroup
      className="field"
      value={[...formats]}
      onChange={(next) => onChange(next as Format[])}
      validationBehavior="aria"
    >
      <Label>{words('evidence.reports')}</Label>
      <div className="people-roles">
        {FORMATS.map((format) => (
          <Check key={format} value={format}>
            {format.toUpperCase()}
          </Check>
        ))}
      </div>
    </CheckboxGroup>
  );
}
