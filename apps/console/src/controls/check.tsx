import type { ReactNode } from 'react';
import { CheckboxButton, CheckboxField, type CheckboxFieldProps } from 'react-aria-components';
import './check.css';

interface Props extends Omit<CheckboxFieldProps, 'children' | 'className'> {
  readonly children: ReactNode;
}

/** A checkbox with its label. All of it can be touched. */
export function Check({ children, ...props }: Props): ReactNode {
  return (
    <CheckboxField {...props}>
      <CheckboxButton className="check">
        <svg className="check-box" viewBox="0 0 20 20" aria-hidden>
          <rect x="1" y="1" width="18" height="18" rx="3" />
          <path d="M5 10.5 8.5 14 15 6.5" />
        </svg>
        <span>{children}</span>
      </CheckboxButton>
    </CheckboxField>
  );
}
