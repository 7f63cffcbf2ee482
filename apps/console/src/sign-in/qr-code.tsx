import type { ReactNode } from 'react';
import { codePicture } from './code-picture.js';

interface Props {
  readonly text: string;
  /** What the code is, in words. */
  readonly label: string;
}

/** A text as a QR code, dark on white in every theme, because not all readers know it inverted. */
export default function QrCode({ text, label }: Props): ReactNode {
  const { size, path } = codePicture(text);
  return (
    <svg
      role="img"
      aria-label={label}
      className="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
