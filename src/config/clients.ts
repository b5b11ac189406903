// Registration by standard and outside issuers, as the house works with them.

import { isIP } from 'node:net'
import type { Path } from './places.js'
import type { Report } from './report.js'
import type { ConfigurationFile } from './schema/file.js'
import type { Settings } from './settings.js'
import { textsOf } from './texts.js'

/** Reads `registration` and `federation`. Mistakes go to the report. */
export function compileClients(
  { registration, federation }: ConfigurationFile,
  report: Report,
): Pick<Settings, 'registration' | 'federation'> {
  const path: Path = ['federation', 'allow']
  const allow = textsOf(federation.allow, path).map(({ text, path }) => {
    const host = text.toLowerCase()
    if (!/^[a-z0-9][a-z0-9.:-]*$/.test(host) && isIP(host) === 0) {
      report.problem(path, 'must be a host name or an address, without scheme, port or brackets')
    }
    return host
  })
  const { fetch, ca } = federation
  return { registration: { standard: registration.standard }, federation: { fetch, allow, ca } }
}
