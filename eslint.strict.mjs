import tseslint from '/work/wt/tooling/node_modules/typescript-eslint/dist/index.js';
import base from '/work/wt/tooling/eslint.config.mjs';
export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'data/**', 'apps/cli/bin/**', 'bench/**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  ...base.slice(1),
  { rules: {
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    complexity: ['error', 15], 'max-params': ['error', 4], 'max-depth': ['error', 4], 'max-lines': ['error', 400],
  } },
  { files: ['**/*.spec.ts', 'test/**/*.ts'], rules: { 'max-lines-per-function': 'off' } },
);
