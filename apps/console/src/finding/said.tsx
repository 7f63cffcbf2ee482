import type { ReactNode } from 'react';
import { isWebAddress } from './web-address.js';
import { shown } from '../words/shown.js';

/** A text that a person or a device wrote, with the characters that nobody sees as escapes. */
export function Said({ children }: { readonly children: string }): ReactNode {
  return <bdi className="finding-said">{shown(children)}</bdi>;
}

/** A reference or address of video: a link if a browser may open it, and text otherwise. */
export function VideoLink({ children }: { readonly children: string }): ReactNode {
  if (!isWebAddress(children)) return <Said>{children}</Said>;
  return (
    <a href={children} target="_blank" rel="noreferrer noopener">
      <Said>{children}</Said>
    </a>
  );
}
