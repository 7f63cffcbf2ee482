import type { ReactNode, RefAttributes } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

interface Props
  extends Omit<ButtonProps, 'children' | 'isDisabled'>, RefAttributes<HTMLButtonElement> {
  readonly children: ReactNode;
  /** Marks the one action that a screen is for. */
  readonly main?: boolean;
  /**
   * Why the button cannot be used now. It stays in the tab order, and the reason is read and shown
   * with it.
   */
  readonly refused?: string | undefined;
}

/** A button of at least 44 px. */
export function Button({
  main,
  refused,
  className,
  onPress,
  children,
  ...props
}: Props): ReactNode {
  return (
    <AriaButton
      {...props}
      className={`button ${typeof className === 'string' ? className : ''}`}
      {...(main && { 'data-main': true })}
      {...(refused !== undefined && { 'aria-disabled': true })}
      onPress={(event) => {
        if (refused === undefined) onPress?.(event);
      }}
    >
      {children}
      {refused !== undefined && <span className="muted">{refused}</span>}
    </AriaButton>
  );
}
