import type { ReactNode } from 'react';
import { CheckboxGroup, FieldError, Label } from 'react-aria-components';
import type { Answers } from '../../api/client.js';
import { Check } from '../../controls/check.js';
import { Field } from '../../controls/field.js';
import { useWords } from '../../words/words.js';

/** A role of an account. */
type Role = Answers['AccountAnswer']['roles'][number];

/** Each role once. The compiler refuses a list that the api does not share. */
const ROLES = Object.keys({
  'pit-boss': true,
  surveillance: true,
  compliance: true,
  regulator: true,
  finance: true,
  integrator: true,
  admin: true,
} satisfies Record<Role, true>) as Role[];

/** The roles and tables of an account, as they are typed. */
export interface Rights {
  readonly roles: readonly Role[];
  readonly tables: string;
  readonly wallDisplay: boolean;
}

interface Props {
  readonly rights: Rights;
  readonly onChange: (rights: Rights) => void;
  readonly rolesError?: string | undefined;
  readonly tablesError?: string | undefined;
}

/** The fields for what an account may do and see. */
export function AccountFields({ rights, onChange, rolesError, tablesError }: Props): ReactNode {
  const words = useWords();
  return (
    <>
      <CheckboxGroup
        className="field"
        value={[...rights.roles]}
        onChange={(roles) => onChange({ ...rights, roles: roles as Role[] })}
        isInvalid={rolesError !== undefined}
        validationBehavior="aria"
      >
        <Label>{words('people.roles')}</Label>
        <div className="people-roles">
          {ROLES.map((role) => (
            <Check key={role} value={role}>
              {words(`role.${role}`)}
            </Check>
          ))}
        </div>
        <FieldError className="error">{rolesError}</FieldError>
      </CheckboxGroup>
      <Field
        label={words('people.tables')}
        hint={words('people.tablesHint')}
        error={tablesError}
        value={rights.tables}
        onChange={(tables) => onChange({ ...rights, tables })}
        exact
      />
      <Check
        isSelected={rights.wallDisplay}
        onChange={(wallDisplay) => onChange({ ...rights, wallDisplay })}
      >
        {words('people.wallDisplay')}
      </Check>
    </>
  );
}
