import type { ReactNode } from 'react';
import type { Search } from '../app/address.js';
import { Choice } from '../controls/choice.js';
import { Field } from '../controls/field.js';
import { faultAt } from '../people/form-error.js';
import { useWords } from '../words/words.js';
import { ifEmpty, type Kind, KINDS, SCOPES, type ScopeField } from './scope.js';

const DAYS: readonly ScopeField[] = ['day', 'from', 'to'];

interface Props {
  readonly kind: Kind;
  readonly onKind: (kind: Kind) => void;
  readonly typed: Search;
  readonly onTyped: (typed: Search) => void;
  /** Why the form was refused. */
  readonly error: unknown;
}

/** The fields for what a package shows. */
export function ScopeFields({ kind, onKind, typed, onTyped, error }: Props): ReactNode {
  const words = useWords();
  return (
    <>
      <Choice
        label={words('evidence.what')}
        value={kind}
        options={KINDS.map((value) => ({ value, name: words(`evidence.kind.${value}`) }))}
        onChange={onKind}
      />
      {SCOPES[kind].map((field: ScopeField) => {
        const empty = ifEmpty(kind, field);
        return (
          <Field
            exact
            key={field}
            label={words(`evidence.field.${field}`)}
            hint={empty && words(empty)}
            error={faultAt(error, `/scope/${field}`) ?? faultAt(error, `/${field}`)}
            type={DAYS.includes(field) ? 'date' : 'text'}
            value={typed[field] ?? ''}
            onChange={(text) => onTyped({ ...typed, [field]: text })}
            isRequired={empty === undefined}
          />
        );
      })}
    </>
  );
}
