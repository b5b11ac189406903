// The addresses that are Portcullis's own. No route may take one, or a pattern that could reach one, in any letter
// case.

/** Path patterns; a last segment that ends in `*` stands for every segment that begins so. */
const RESERVED: readonly string[] = [
  '/api/v2/oauth*',
  '/api/v2/applications',
  '/api/v2/permissions',
  '/api/v2/tenants',
  '/api/v2/consents',
  '/api/v2/consentrequests',
  '/api/v2/auditevents',
  '/api/v2/users',
  '/api/v2/installations',
  '/api/v2/sessions',
  '/api/v2/invitations',
  '/api/v2/setuplinks',
  '/api/v2/recoverylinks',
  '/api/v2/usage',
  '/api/v2/events',
  '/api/v2/keys',
  '/api/v2/revocations',
  '/api/v2/routes',
  '/api/v2/configuration',
  '/api/v2/status',
  '/api/v2/explain',
  '/api/v2/activity',
  '/api/v2/apis',
  '/api/v2/registrationtokens',
  '/api/v2/webhooks',
  '/api/v2/toolchanges',
  '/api/v2/openapi.json',
  '/.well-known',
  '/portal',
  '/docs',
  '/errors',
  '/downloads',
  '/sign-in',
  '/sign-out',
  '/set-up',
  '/invitation',
  '/link-provider',
  '/reset-password',
  '/account',
  '/consent',
  '/choose-tenant',
  '/consent-requests',
  '/device',
  '/assets',
  '/brand',
]

/**
 * The reserved address that a route's path (`/a/{b}/**`) could reach, itself or anything below it; undefined for none.
 */
export function reservedPathWithin(path: string): string | undefined {
  const segments = path.toLowerCase().split('/').slice(1)
  return RESERVED.find((reserved) => couldReach(segments, reserved.split('/').slice(1)))
}

function couldReach(segments: readonly string[], reserved: readonly string[]): boolean {
  for (const [index, wanted] of reserved.entries()) {
    const segment = segments[index]
    if (segment === '**') return true
    if (segment === undefined) return false
    const fits = wanted.endsWith('*') ? segment.startsWith(wanted.slice(0, -1)) : segment === wanted
    if (!fits && !segment.startsWith('{')) return false
  }
  return true
}
