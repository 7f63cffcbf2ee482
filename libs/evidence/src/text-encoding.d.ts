// The two WHATWG classes that every JavaScript runtime has and the ECMAScript library does not
// declare. This library compiles without Node's types and without the DOM's.
declare class TextDecoder {
  constructor(
    label: 'utf-8' | 'utf-16le' | 'utf-16be',
    options: { fatal: boolean; ignoreBOM: boolean },
  );
  decode(bytes: Uint8Array): string;
}
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
