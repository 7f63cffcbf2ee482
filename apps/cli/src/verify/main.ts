// First, so that the checks of a package come first in the one file.
import '#evidence';
import { endQuietlyWhenNobodyReads } from '../terminal/page.js';
import { runVerifier } from './run.js';

// The verifier as one file, dist/shoeprint-verify.mjs: the command and nothing else.
endQuietlyWhenNobodyReads();
await runVerifier(process.argv, process.env);
