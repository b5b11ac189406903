// Which addresses of the public listener belong to the rooms that are made when somebody first comes to them
// (public-rooms.ts). Known without them, by the first segment of a path; a room that registers an address elsewhere is
// not made.

const atRoot: ReadonlySet<string> = new Set(['assets', 'docs', 'downloads', 'portal'])

/** Of the management API. */
const belowApi: ReadonlySet<string> = new Set([
  'activity',
  'apiCatalogue',
  'apis',
  'applications',
  'auditEvents',
  'configuration',
  'consentRequests',
  'consents',
  'credentials',
  'deletedApplications',
  'explain',
  'imports',
  'invitations',
  'keys',
  'openapi.json',
  'operators',
  'overview',
  'permissions',
  'planRequests',
  'planUse',
  'plans',
  'providers',
  'recoveryLinks',
  'registrationTokens',
  'revocations',
  'routes',
  'sessions',
  'setUpLinks',
  'status',
  'tenants',
  'toolChanges',
  'usage',
  'users',
  'webhookEvents',
  'webhooks',
])

const api = '/api/v2/'

/** Whether a canonical path, or the pattern of a route, is one of those rooms'. What else there is may stand nearer. */
export function isOfRooms(path: string): boolean {
  return path.startsWith(api) ? belowApi.has(segmentFrom(path, api.length)) : atRoot.has(segmentFrom(path, 1))
}

function segmentFrom(path: string, start: number): string {
  const end = path.indexOf('/', start)
  return end === -1 ? path.slice(start) : path.slice(start, end)
}
