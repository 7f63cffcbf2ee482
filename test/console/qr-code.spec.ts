import { describe, expect, it } from '@jest/globals';
import { codePicture } from '../../apps/console/src/sign-in/code-picture.js';
import { readQr } from './qr-reader.js';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe('a QR code', () => {
  it.each([
    `otpauth://totp/Shoeprint:pia?issuer=Shoeprint&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    `otpauth://totp/${encodeURIComponent('澳門 #1')}:${'n'.repeat(200)}?secret=${SECRET}`,
    'a',
    '莊 閒 和',
  ])('is read as the text that it was drawn from: %s', (text) => {
    const { path, size } = codePicture(text);
    expect(readQr(path, size)).toBe(text);
  });

  it('has four white modules on every side, as readers need', () => {
    const { path, size } = codePicture(SECRET);
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((run) => run.slice(1).map(Number));
    const columns = runs.flatMap(([x = 0, , length = 0]) => [x, x + length]);
    const rows = runs.flatMap(([, y = 0]) => [y, y + 1]);
    for (const places of [columns, rows])
      expect([Math.min(...places), Math.max(...places)]).toEqual([4, size - 4]);
  });
});
