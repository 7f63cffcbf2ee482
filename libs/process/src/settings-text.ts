const SECRETS = new Set([
  'databaseUrl',
  'url',
  'adminPassword',
  'metricsToken',
  'password',
  'key',
  'cert',
]);

/** Renders settings as JSON for people. A secret that is set shows as "(set)". */
export const settingsText = (settings: object): string =>
  JSON.stringify(
    settings,
    (name, value: unknown) => (SECRETS.has(name) && value !== undefined ? '(set)' : value),
    2,
  );
