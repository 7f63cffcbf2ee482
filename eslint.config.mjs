import { defineConfig } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Sizes that every function keeps to, and the larger ones of the folders in `STILL_LARGER`. */
/** @type {import('eslint').Linter.RulesRecord} */
const SIZES = {
  complexity: ['error', 15],
  'max-depth': ['error', 4],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 4],
};
/** @type {import('eslint').Linter.RulesRecord} */
const LARGER = {
  complexity: ['error', 35],
  'max-depth': ['error', 6],
  'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 5],
};

/** Flat switches with one line per case. Splitting them would hide the list. */
const FLAT_SWITCHES = [
  'libs/audit/src/step.ts',
  'libs/audit/src/events/validate.ts',
  'test/kit/any-event.ts',
];

/** The files that exceed a size. These lists may only shrink. */
const STILL_LARGER = {
  complexity: ['test/api/reading/lists-http.spec.ts'], // one test asks for every list
  'max-depth': ['test/baccarat/due.spec.ts'], // one loop for each card
  'max-lines-per-function': [
    // Each line of a log runs it: a call or an object would cost time.
    'libs/audit/src/decode/scan.ts',
    'libs/read-model/src/{changes/changes,writing/writer}.ts',
    'apps/api/src/{docs/describe,ingest/metrics/ingest-metrics}.ts',
    'apps/cli/src/audit/run.ts',
    'scripts/asyncapi.mjs', // one document, written down
  ],
  'max-params': [
    // The innermost loops: an object per call would cost time.
    'libs/baccarat/src/odds/{thirds,totals}.ts',
    'apps/auditor/src/fold/snapshots.ts',
    // Each column of a table of cases is a parameter.
    'test/audit/{commission,third-cards}.spec.ts',
    'test/rules/{charts,diff,documents}.spec.ts',
  ],
};

/**
 * The files that do not follow a rule. These lists may only shrink.
 * @type {Record<string, string[]>}
 */
const STILL_OFF = {
  'max-lines-per-function': ['apps/api/src/ingest/ingest-docs.ts'], // one document, written down
  '@typescript-eslint/restrict-plus-operands': ['scripts/verdicts/sample-day.mjs'],
  '@typescript-eslint/restrict-template-expressions': ['scripts/verdicts/differences.mjs'],
  // A list of calls is one expression, whose values nobody reads.
  '@typescript-eslint/no-confusing-void-expression': ['test/audit/dispositions.spec.ts'],
  // The package's enums become texts of ours.
  '@typescript-eslint/no-unnecessary-type-conversion': ['test/foreign/**'],
  '@typescript-eslint/no-non-null-assertion': ['test/api/ingest/events.spec.ts'],
  '@typescript-eslint/no-unnecessary-condition': [
    // What a call changes is not seen: a line stops being ok while it is read.
    'libs/audit/src/decode/scan.ts',
    // Node's types do not say that a program which cannot be started has no output.
    'apps/standalone/src/postgres/binaries.ts',
    // Fastify sets no options on a request that it refuses before routing.
    'apps/api/src/problems/problem.filter.ts',
    // A word that is not an action has no entry.
    'apps/cli/src/audit/finding-words.ts',
    // What `beforeAll` sets is absent if it failed, and a callback changes what a loop waits for.
    'test/**',
  ],
  // The caller names the type of rows or of answers.
  '@typescript-eslint/no-unnecessary-type-parameters': [
    'test/{kit/any-game,read-model/reports.spec,system/same-verdict.spec}.ts',
  ],
  // They run other commits of this repository, which have no types here.
  '@typescript-eslint/no-unsafe-argument': ['scripts/verdicts/**'],
  '@typescript-eslint/no-unsafe-call': ['scripts/**/*verdicts*', 'scripts/verdicts/**'],
  '@typescript-eslint/no-unsafe-member-access': ['scripts/**/*verdicts*', 'scripts/verdicts/**'],
  // A library lists in an enum what reaches us as a plain number or name.
  '@typescript-eslint/no-unsafe-enum-assignment': [
    'libs/read-model/src/{database/data-source,entities/kinds}.ts',
  ],
  // Rows are copied without their class, and texts are of ASCII.
  '@typescript-eslint/no-misused-spread': ['test/**'],
};

export default defineConfig(
  {
    ignores: [
      'dist/**',
      'coverage/**',
      'data/**',
      'apps/cli/bin/**',
      'apps/console/public/**', // an old syntax, for every browser
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      ...SIZES,
      // `return void f()` says that nothing is returned, and an arrow may call a function without a
      // result.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        {
          ignoreArrowShorthand: true,
          ignoreVoidOperator: true,
          ignoreVoidReturningFunctions: true,
        },
      ],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // TypeORM and other libraries declare the type of their options as a class, and take
      // literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // A module of Nest is a class with nothing but its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // Interfaces that return promises have implementations that need no `await`.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // A component is markup with some lines of code before it.
    files: ['apps/console/**/*.tsx'],
    ...reactHooks.configs.flat.recommended,
    rules: {
      ...reactHooks.configs.flat.recommended.rules,
      'max-lines-per-function': LARGER['max-lines-per-function'],
    },
  },
  {
    // ESLint does not see the casts of JSDoc. The compiler does, and checks these files too.
    files: ['**/*.mjs'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off', // a `describe` holds its tests
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // A program reads the environment once, in its main. Everything else takes values.
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      'apps/*/src/main.ts',
      'apps/cli/src/program.ts',
      'apps/cli/src/server/*.ts',
      'apps/cli/src/terminal/colours.ts',
      'apps/standalone/src/postgres/*.ts',
      'libs/process/src/print-heap-argument.ts',
      'libs/process/src/running/run-child.ts',
    ],
    rules: { 'no-restricted-properties': ['error', { object: 'process', property: 'env' }] },
  },
  {
    // Two routes answer by themselves.
    files: ['apps/api/**/*.ts'],
    ignores: ['apps/api/src/{ingest/ingest,stream/stream}.controller.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@nestjs/common',
          importNames: ['Req', 'Request', 'Res', 'Response'],
          message:
            'Use an interceptor or a parameter decorator: docs/decisions/0044-what-routes-do-with-the-request.md says why.',
        },
      ],
    },
  },
  { files: FLAT_SWITCHES, rules: { complexity: 'off', 'max-lines-per-function': 'off' } },
  ...Object.entries(STILL_LARGER).map(([rule, files]) => ({
    files,
    ignores: rule === 'max-lines-per-function' ? ['test/**', ...FLAT_SWITCHES] : FLAT_SWITCHES,
    rules: { [rule]: LARGER[rule] },
  })),
  ...Object.entries(STILL_OFF).map(([rule, files]) => ({
    files,
    rules: { [rule]: /** @type {const} */ ('off') },
  })),
);
