const why = 'Read "What may import what" in docs/architecture.md.';

/** The import table of docs/architecture.md, as errors. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: `A cycle means that two files have one subject. ${why}`,
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'baccarat-imports-nothing',
      severity: 'error',
      comment: `The game knows no clock, no file and no framework. ${why}`,
      from: { path: '^libs/baccarat/' },
      to: { pathNot: '^libs/baccarat/' },
    },
    {
      name: 'audit-imports-baccarat-only',
      severity: 'error',
      comment: `The fold is pure: what it needs from outside is handed in. ${why}`,
      from: { path: '^libs/audit/' },
      to: { pathNot: '^libs/(audit|baccarat)/' },
    },
    {
      name: 'evidence-imports-nothing',
      severity: 'error',
      comment: `It runs on any machine, in a browser too: SHA-256 and Ed25519 are handed in. ${why}`,
      from: { path: '^libs/evidence/', pathNot: '^libs/evidence/src/(node|zip)\\.ts$' },
      to: { pathNot: '^libs/evidence/src/(?!(node|zip)\\.ts$)' },
    },
    {
      name: 'replay-imports-the-pure',
      severity: 'error',
      comment: `The verifier runs it anywhere: it judges records in memory. ${why}`,
      from: { path: '^libs/replay/' },
      to: { pathNot: '^libs/(replay|audit|baccarat|evidence)/' },
    },
    {
      name: 'export-imports',
      severity: 'error',
      comment: `Packages are made from the log and from what was sealed. They know no app and no rows. ${why}`,
      from: { path: '^libs/export/' },
      to: {
        path: '^(libs/(?!(export|audit|baccarat|evidence|event-log|process|replay|seal-store|sheets)/)|apps/)',
      },
    },
    {
      name: 'sheets-imports-process',
      severity: 'error',
      comment: `It knows rows of cells, and nothing of the casino. ${why}`,
      from: { path: '^libs/sheets/' },
      to: { path: '^(libs/(?!(sheets|process)/)|apps/)' },
    },
    {
      name: 'spool-imports-process',
      severity: 'error',
      comment: `It keeps frames and lines, and knows no protocol, no table and no HTTP. ${why}`,
      from: { path: '^libs/spool/' },
      to: { path: '^(libs/(?!(spool|process)/)|apps/)' },
    },
    {
      name: 'rule-folder-imports-the-pure',
      severity: 'error',
      comment: `It reads rule documents from files, and nothing else. ${why}`,
      from: { path: '^libs/rule-folder/' },
      to: {
        pathNot: '^libs/(rule-folder|audit|baccarat|process)/',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'event-log-knows-no-casino',
      severity: 'error',
      comment: `The log keeps bytes: it imports its drivers and knows its process, and nothing else of ours. ${why}`,
      from: { path: '^libs/event-log/' },
      to: { path: '^(libs/(?!(event-log|postgres|process)/)|apps/)' },
    },
    {
      name: 'read-model-imports',
      severity: 'error',
      comment: `Rows know the audit and the game, not the log and no app. ${why}`,
      from: { path: '^libs/read-model/' },
      to: { path: '^(libs/(?!(read-model|audit|baccarat|postgres|process)/)|apps/)' },
    },
    {
      name: 'seal-store-imports',
      severity: 'error',
      comment: `What was sealed knows trees and PostgreSQL, not the log and no app. ${why}`,
      from: { path: '^libs/seal-store/' },
      to: { path: '^(libs/(?!(seal-store|evidence|postgres|process|read-model)/)|apps/)' },
    },
    {
      name: 'process-imports-node-only',
      severity: 'error',
      comment: `The command line and every server load it first: it knows neither a framework nor a library of ours. ${why}`,
      from: { path: '^libs/process/' },
      to: { pathNot: '^libs/process/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'postgres-imports-its-driver',
      severity: 'error',
      comment: `How connections to PostgreSQL are bounded. It knows the process, and nothing else of ours. ${why}`,
      from: { path: '^libs/postgres/' },
      to: { path: '^(libs/(?!(postgres|process)/)|apps/)' },
    },
    {
      name: 'server-imports',
      severity: 'error',
      comment: `What servers share: it knows the log, the rows and the process, and no app. ${why}`,
      from: { path: '^libs/server/' },
      to: { path: '^(libs/(?!(server|event-log|process|read-model)/)|apps/)' },
    },
    {
      name: 'console-imports-baccarat-only',
      severity: 'error',
      comment: `The console runs in a browser. Every other fact comes from the api, and of the api only types. ${why}`,
      from: { path: '^apps/console/src/' },
      to: {
        path: '^(libs/(?!baccarat/)|apps/(?!console/)|scripts/|test/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-needs-no-node',
      severity: 'error',
      comment: `A browser has no modules of Node. ${why}`,
      from: { path: '^apps/console/src/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'libs-not-apps',
      severity: 'error',
      comment: `Imports point inwards. ${why}`,
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'no-app-imports-an-app',
      severity: 'error',
      comment: `Only standalone may import other apps. ${why}`,
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'front-door-only',
      severity: 'error',
      comment: `Enter a library by its index. ${why}`,
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^(libs|apps)/([^/]+)/src/(?!index\\.ts$)',
        pathNot:
          '^($1/$2/|libs/evidence/src/(node|zip)\\.ts$|libs/read-model/src/reading/gaming-day\\.ts$)',
      },
    },
    {
      name: 'sockets-at-the-edge',
      severity: 'error',
      comment: `Only the programs, the probes that they serve, the Kafka client and the lock of a spool open sockets by themselves. ${why}`,
      from: {
        path: '^libs/',
        pathNot: '^libs/(event-log/src/kafka/client|server/src/probes|spool/src/(ask|lock))\\.ts$',
      },
      to: { path: '^(node:)?(net|tls|http|https|http2|dgram|dns)$' },
    },
    {
      name: 'files-at-the-edge',
      severity: 'error',
      comment: `Libraries take values. Only the settings, the rule folder, key files, packages and spools are files. ${why}`,
      from: {
        path: '^libs/',
        pathNot: '^libs/((process|rule-folder|export|spool)/|seal-store/src/keys/)',
      },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    {
      name: 'processes-at-the-edge',
      severity: 'error',
      comment: `Only programs, and what starts programs, start other processes. ${why}`,
      from: { path: '^libs/', pathNot: '^libs/process/' },
      to: { path: '^(node:)?(child_process|cluster)$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'A file that nothing imports is not part of any program.',
      from: {
        orphan: true,
        pathNot: '/main\\.tsx?$|\\.d\\.ts$|^apps/console/(public/|vite\\.config)|\\.(css|json)$',
      },
      to: {},
    },
    {
      name: 'not-resolvable',
      severity: 'error',
      comment: 'An import that leads nowhere fails on the first run.',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?|^react-aria-components$' }, // Vite resolves both
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      mainFields: ['module', 'main'],
    },
  },
};
