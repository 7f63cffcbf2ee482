import { type ReactNode, useRef } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';
import { notify } from './notices.js';
import './copied.css';

interface Props {
  readonly label: string;
  /** What is copied. */
  readonly text: string;
  /** How it is shown, if not as it is copied. */
  readonly shown?: string;
}

/** Shows a text that is needed elsewhere, such as a token, with a button that copies it. */
export function Copied({ label, text, shown = text }: Props): ReactNode {
  const words = useWords();
  const output = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text);
    if (!isCopied && output.current) getSelection()?.selectAllChildren(output.current);
    notify({ text: words(isCopied ? 'shell.copied' : 'shell.copyYourself') });
  };
  return (
    <div className="copied">
      <span className="muted">{label}</span>
      <code ref={output} className="copied-text">
        {shown}
      </code>
      <Button onPress={() => void copy()}>{words('shell.copy')}</Button>
    </div>
  );
}

/**
 * Copies a text, and returns whether the browser let it. Without TLS a browser has no clipboard, but
 * it copies what is selected.
 */
export async function copyText(text: string): Promise<boolean> {
  if ('clipboard' in navigator)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'only-spoken';
  (document.querySelector('[role=dialog]') ?? document.body).append(area);
  area.select();
  // The only way where there is no clipboard, and every browser still has it.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
