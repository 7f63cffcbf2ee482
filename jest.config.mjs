/** Everything is an ES module; the "source" condition of package.json "imports" leads tests to libs/*\/src, never to dist. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/{apps,libs}/*/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // A test that hangs must say so soon, on a busy machine too. The few that take longer have their
  // own limit.
  testTimeout: process.env.SHOEPRINT_TEST_LONG === undefined ? 60_000 : 600_000,
  // Many tests wait for servers rather than for the processor, so two processors have work for
  // three; and what they hold of modules is let go now and then.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  globalSetup: '<rootDir>/test/setup/global-setup.mjs',
  globalTeardown: '<rootDir>/test/setup/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/setup/slowest-files.mjs'],
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/test/setup/transform.mjs',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
          keepClassNames: true,
        },
      },
    ],
  },
  coverageProvider: 'v8',
  collectCoverageFrom: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', '!**/main.ts'],
};
