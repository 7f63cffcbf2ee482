import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = fileURLToPath(new URL('../../dist/apps/console', import.meta.url));

/** The languages of the console that React Aria has words for. It has none in Vietnamese. */
const LOCALES = ['en-US', 'zh-TW', 'zh-CN', 'pt-BR'];
const TEXT = /\.(js|css|svg|json|md)$/;

/**
 * Writes each text of the build again as `.br` and `.gz`, which the api serves as they are.
 * @type {import('vite').Plugin}
 */
const compressed = {
  name: 'compressed',
  closeBundle() {
    for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !TEXT.test(entry.name)) continue;
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file);
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      writeFileSync(`${file}.br`, brotliCompressSync(text, { params: quality }));
      writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
    }
  },
};

/** The server that `npm run console:dev` asks. */
const server = process.env.SHOEPRINT_URL ?? 'http://127.0.0.1:8377';

export default defineConfig(({ command }) => ({
  root,
  base: command === 'serve' ? '/console/' : './',
  server: { proxy: { '/v1': server }, strictPort: true },
  logLevel: 'warn',
  resolve: { alias: { '#baccarat': join(root, '../../libs/baccarat/src/index.ts') } },
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [{ ...optimizeLocales.vite({ locales: LOCALES }), enforce: 'pre' }, compressed],
  build: {
    outDir,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    target: ['chrome121', 'firefox121', 'safari16.4'],
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // "use client" is of no concern here, and each file of the libraries has it.
      onLog(level, log, handler) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
      },
    },
  },
}));
