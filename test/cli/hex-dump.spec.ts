import { describe, expect, it } from '@jest/globals';
import { hexDump } from '../../apps/cli/src/terminal/hex-dump.js';

describe('a dump of bytes', () => {
  it('has no line for no bytes', () => {
    expect(hexDump(new Uint8Array())).toEqual([]);
  });

  it('has 16 bytes on a line, with their offset and their text', () => {
    expect(hexDump(Buffer.from('{"table":"B07","x":1}'))).toEqual([
      '00000000  7b 22 74 61 62 6c 65 22 3a 22 42 30 37 22 2c 22  {"table":"B07","',
      '00000010  78 22 3a 31 7d                                   x":1}',
    ]);
  });

  it('escapes what a reader does not see, and shows bytes that are no text as U+FFFD', () => {
    expect(hexDump(Buffer.from([0x0a, 0x1b, 0x5b, 0xff, 0x41, 0xe2, 0x80, 0xae]))).toEqual([
      '00000000  0a 1b 5b ff 41 e2 80 ae                          \\u000a\\u001b[\ufffdA\\u202e',
    ]);
  });

  it('shows a character that two lines share on the second', () => {
    const [first, second] = hexDump(Buffer.from(`${'x'.repeat(15)}庄`));
    expect([first?.slice(59), second?.slice(59)]).toEqual(['x'.repeat(15), '庄']);
  });

  it('shows the beginning of a character at the end of the bytes as U+FFFD', () => {
    expect(hexDump(Buffer.from([0x41, 0xe5, 0xba]))[0]?.slice(59)).toBe('A\ufffd');
  });
});
