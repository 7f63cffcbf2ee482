/** Everything is an ES module; the "source" condition of package.json "imports" leads tests to libs/*\/src, never to dist. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/{apps,libs}/*/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Generous: what is slow belongs in bench/, and a busy machine must not fail a promise.
  testTimeout: 180_000,
  // Many tests wait for servers rather than for the processor; and what they hold of modules is let go now and then.
  maxWorkers: 2,
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
