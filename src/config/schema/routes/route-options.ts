// What a route can say beyond who may call it and where it leads.

import { Type } from 'typebox'
import { Cors } from '../cors.js'
import { headerList, headerPatterns } from '../header-list.js'
import { applicationId, entry, leaf } from '../leaves.js'

const Applications = Type.Array(applicationId, {
  description: 'The only applications that may call, by applicationId.',
  minItems: 1,
  maxItems: 256,
  uniqueItems: true,
  errorMessage: 'must be a list of 1 to 256 applicationIds, each once',
})

const path = (description: string) =>
  Type.String({
    description,
    pattern: "^/([A-Za-z0-9._~@$!'+=&-]+(/[A-Za-z0-9._~@$!'+=&-]+)*)?$",
    // Three dots and more are `..` to some, and no path of ours has such a segment
    // (src/http/requests/canonical-target.ts).
    not: { pattern: '/\\.+(/|$)' },
    maxLength: 1024,
    errorMessage: 'must be a plain path: /segments, without a slash at its end, dot segments, parameters or wildcards',
  })

const date = (description: string) =>
  Type.String({
    description,
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    errorMessage: 'must be a day, such as 2027-06-30',
  })

/** The settings of a route that it need not have. */
export const routeOptions = {
  shadow: Type.Optional(
    leaf.flag('Permissions are not enforced, only counted and logged: the route is open while it says so.'),
  ),
  cost: Type.Optional(
    leaf.count('Units that a request takes from each of its limits; 1 when left out.', undefined, [1, 1_000_000]),
  ),
  issuers: Type.Optional(
    Type.Array(leaf.text(''), {
      description: 'Whose tokens it takes: names of issuers, and own for those of this server; own when left out.',
      minItems: 1,
      maxItems: 16,
      uniqueItems: true,
      errorMessage: 'must be a list of names of issuers, each once',
    }),
  ),
  tenant: Type.Optional(leaf.text('Name of the parameter in the path that must be the tenant of the token; else 404.')),
  applications: Type.Optional(Applications),
  timeouts: Type.Optional(
    entry('Instead of those of the upstream.', {
      headers: Type.Optional(leaf.duration('Until its response begins.', undefined, ['10ms', '1h'])),
      idle: Type.Optional(leaf.duration('Between two pieces of a body.', undefined, ['10ms', '24h'])),
    }),
  ),
  identity: Type.Optional(
    leaf.word('Who calls, instead of what the upstream says: see there.', ['jwt', 'headers', 'none']),
  ),
  requestHeaders: Type.Optional(
    headerList('Of the fields of a request only these cross, besides those of its body and of the gate.'),
  ),
  dropRequestHeaders: Type.Optional(
    headerPatterns('Fields of a request that do not cross either, beside those of the upstream and of defaults.'),
  ),
  responseHeaders: Type.Optional(
    headerList('Of the fields of an answer only these cross, besides those of its body and of the gate.'),
  ),
  allowResponseHeaders: Type.Optional(
    headerList(
      'Fields of an answer that cross here and are kept back elsewhere: X-Accel-Buffering, Accept-CH, Speculation-Rules, CDN-Cache-Control and their kind, WWW-Authenticate that asks for a password; with Cache-Control shared caches may keep what was answered to a token.',
    ),
  ),
  validate: Type.Optional(
    leaf.flag('Requests that are not as the OpenAPI document of the upstream describes them are refused.'),
  ),
  encodedSlashes: Type.Optional(
    leaf.flag(
      'Its paths may hold %2F, which its service tells from a slash, as npm registries and GitLab do. Refused with 400 when left out.',
    ),
  ),
  pages: Type.Optional(
    leaf.flag(
      'Its answers are pages that may run scripts. Served at server.apiHosts only, away from sign-in and portal.',
    ),
  ),
  cacheControl: Type.Optional(
    Type.String({
      description:
        'Cache-Control of answers that have none; private, no-store where a token is required, when left out.',
      pattern: '^[a-z][a-z-]*(=[0-9]{1,10})?(, [a-z][a-z-]*(=[0-9]{1,10})?)*$',
      maxLength: 256,
      errorMessage: 'must be directives of Cache-Control, such as private, max-age=60',
    }),
  ),
  cors: Type.Optional(Cors),
  deprecated: Type.Optional(date('Since when it should not be used any more; answers say so (RFC 9745).')),
  sunset: Type.Optional(date('From when on it may be gone; answers say so (RFC 8594).')),
  link: Type.Optional(leaf.text('Where the end of the route is explained; https.')),
  strip: Type.Optional(path('A beginning of the path that the upstream does not get.')),
  rewrite: Type.Optional(
    entry('A beginning of the path that the upstream gets as another one.', {
      from: path('What the path begins with here.'),
      to: path('What it begins with at the upstream.'),
    }),
  ),
}
