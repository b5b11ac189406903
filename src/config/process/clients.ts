// Registration by standard, outside issuers and receivers of events, as the program works with them.

import { isIP } from 'node:net'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { textsOf } from '../report/texts.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { Settings } from '../settings/settings.js'
import { quantity } from './units.js'

/** Reads `registration`, `federation` and `events`. Mistakes go to the report. */
export function compileClients(
  { registration, federation, events }: ConfigurationFile,
  report: Report,
): Pick<Settings, 'registration' | 'federation' | 'events'> {
  return {
    registration: {
      standard: registration.standard,
      open: compileOpen(registration, report),
      documents: compileDocuments(registration.documents, report),
    },
    federation: {
      fetch: federation.fetch,
      ca: federation.ca,
      allow: compileHosts(federation.allow, ['federation', 'allow'], report),
      reuse: compileIssuers(federation.reuse, ['federation', 'reuse'], report),
    },
    events: { ca: events.ca, allow: compileHosts(events.allow, ['events', 'allow'], report) },
  }
}

/** Who may register without a token. Hosts that nobody could use are a mistake. */
function compileOpen(
  { standard, open }: ConfigurationFile['registration'],
  report: Report,
): Settings['registration']['open'] {
  const path: Path = ['registration', 'open']
  const hosts = compileHosts(open.hosts, [...path, 'hosts'], report)
  if (open.enabled && !standard) report.problem([...path, 'enabled'], 'needs registration.standard: true')
  if (!open.enabled && hosts.length > 0) report.problem([...path, 'hosts'], 'means nothing without enabled: true')
  return {
    enabled: open.enabled,
    hosts,
    perAddress: quantity.rate(open.perAddress),
    overall: quantity.rate(open.overall),
  }
}

/** Whose documents are taken, and where they may be. A list that says nothing, or is not read, is a mistake. */
function compileDocuments(
  { trust, hosts, allow, ca }: ConfigurationFile['registration']['documents'],
  report: Report,
): Settings['registration']['documents'] {
  const path: Path = ['registration', 'documents']
  const listed = compileHosts(hosts, [...path, 'hosts'], report)
  if (trust === 'listed' && listed.length === 0) {
    report.problem([...path, 'trust'], 'needs hosts: name those whose clients are taken')
  }
  if (trust !== 'listed' && listed.length > 0) {
    report.problem([...path, 'hosts'], `means nothing where trust is ${trust}; say trust: listed`)
  }
  return { trust: trust === 'listed' ? listed : trust, allow: compileHosts(allow, [...path, 'allow'], report), ca }
}

/** Issuers as they write themselves: they are compared letter by letter. */
function compileIssuers(list: Parameters<typeof textsOf>[0], path: Path, report: Report): string[] {
  return textsOf(list, path).map(({ text, path }) => {
    if (!text.startsWith('https://') || !URL.canParse(text)) {
      report.problem(path, 'must be an issuer, such as https://kubernetes.default.svc')
    }
    return text
  })
}

/** Names and addresses in lower case. */
function compileHosts(list: Parameters<typeof textsOf>[0], path: Path, report: Report): string[] {
  return textsOf(list, path).map(({ text, path }) => {
    const host = text.toLowerCase()
    if (!/^[a-z0-9][a-z0-9.:-]*$/.test(host) && isIP(host) === 0) {
      report.problem(path, 'must be a host name or an address, without scheme, port or brackets')
    }
    return host
  })
}
