import type { ReactNode } from 'react';
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';

interface Props extends Omit<TextFieldProps, 'children'> {
  readonly label: string;
  /** What is wrong with the value, in a sentence. */
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  /** The number of lines, for a text that may be long. */
  readonly rows?: number;
  /** Whether it is taken letter by letter, as names and codes are: nothing corrects it. */
  readonly exact?: boolean;
}

/** A field for text, with its label, hint and error. */
export function Field({ label, error, hint, rows, exact, ...props }: Props): ReactNode {
  return (
    <TextField
      {...(exact && { autoComplete: 'off', spellCheck: 'false' })}
      {...props}
      className="field"
      isInvalid={error !== undefined}
      validationBehavior="aria"
    >
      <Label>{label}</Label>
      {rows === undefined ? (
        <Input {...(exact && { autoCapitalize: 'none' })} />
      ) : (
        <TextArea rows={rows} />
      )}
      {hint !== undefined && (
        <Text slot="description" className="muted">
          {hint}
        </Text>
      )}
      <FieldError className="error">{error}</FieldError>
    </TextField>
  );
}
