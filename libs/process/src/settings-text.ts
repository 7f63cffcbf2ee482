const SECRETS = new Set(['databaseUrl', 'url', 'adminPassword', 'password', 'key', 'cert']);

/** Settings as JSON for people, without secrets: what is set stands as "(set)". */
export const settingsText = (settings: object): string =>
  JSON.stringify(
    settings,
    (name, value: unknown) => (SECRETS.has(name) && value !== undefined ? '(set)' : value),
    2,
  );
