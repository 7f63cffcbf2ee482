export { createApi, routesOf, type CreateApi } from './create-api.js';
export { listenAt } from './http/listen-at.js';
export { warnOfPlainHttp } from './http/plain-http.js';
export {
  API_DEFAULTS,
  listenSettings,
  type ApiSettings,
  type ListenSettings,
} from './settings/api-settings.js';
export { rulesOfServer } from './settings/rules-of-server.js';
export { migrateAccess } from './identity/database/access-database.js';
export {
  ensureFirstAdmin,
  passwordState,
  unusedPasswords,
  type FirstAdmin,
  type NewPerson,
} from './identity/accounts/first-admin.js';
export { sessionWithoutPassword } from './identity/sessions/open-session.js';
export {
  FIRST_ADMIN,
  PERMISSIONS,
  permitted,
  ROLES,
  type Permission,
  type Role,
} from './identity/permissions.js';
export { attributesOf, FIELD_SCHEMAS } from './ingest/events/event-schemas.js';
export { openApiDocument } from './docs/document.js';
export { limitSealer } from './operation/sealer-limit.js';
