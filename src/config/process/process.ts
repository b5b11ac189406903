// The settings of the process: listeners, sizes, durations, keys. In base units, with paths made absolute.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { textsOf } from '../report/texts.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { Settings } from '../settings/settings.js'
import { parseHostPort, whyNotAddressBlock } from './addresses.js'
import { compileForwardAuth } from './forward-auth.js'
import { compileTls } from './tls.js'
import { quantity } from './units.js'

const { bytes, milliseconds } = quantity

/** Reads `server`; `folder` is where the configuration file lies. Mistakes go to the report. */
export function compileServer(file: ConfigurationFile, folder: string, report: Report): Settings['server'] {
  const { server } = file
  const { limits, timeouts, drain } = server
  checkBaseUrl(server.baseUrl, report)
  const listen = addressOf(server.listen, ['server', 'listen'], report)
  const operator = addressOf(server.operator, ['server', 'operator'], report)
  if (server.listen === server.operator && listen.port !== 0) {
    report.problem(['server', 'operator'], 'must differ from server.listen: its pages are not for the public')
  }
  const trustedProxies = proxiesOf(server.trustedProxies, report)
  const tls = compileTls(file, folder, report)
  if (tls.tls.kind === 'off' && trustedProxies.length === 0 && !report.isBroken(['server', 'trustedProxies'])) {
    report.problem(
      ['server', 'tls'],
      'can be off only behind a proxy that ends TLS and stands in server.trustedProxies',
    )
  }
  if (server.proxyProtocol && trustedProxies.length === 0 && !report.isBroken(['server', 'trustedProxies'])) {
    report.problem(
      ['server', 'proxyProtocol'],
      'is believed only from addresses in server.trustedProxies, which is empty',
    )
  }
  if (bytes(limits.url) >= bytes(limits.headers)) {
    report.problem(
      ['server', 'limits', 'url'],
      'must be smaller than server.limits.headers, which counts the request line too',
    )
  }
  return {
    baseUrl: server.baseUrl,
    apiHosts: apiHostsOf(server, report),
    ...listen,
    ...tls,
    ocspStapling: server.ocspStapling,
    hstsIncludeSubDomains: server.hstsIncludeSubDomains,
    trustedProxies,
    operator,
    forwardAuth: compileForwardAuth(server, folder, report),
    urlBytes: bytes(limits.url),
    headerBytes: bytes(limits.headers),
    headerCount: limits.headerCount,
    bodyBytes: bytes(limits.body),
    tokenBodyBytes: bytes(limits.tokenBody),
    headersTimeoutMs: milliseconds(timeouts.headers),
    bodyIdleMs: milliseconds(timeouts.bodyIdle),
    keepAliveMs: milliseconds(timeouts.keepAlive),
    heldBodyBytes: bytes(limits.bodies),
    perCaller: limits.perCaller,
    requestsPerConnection: limits.requestsPerConnection,
    longestWaitMs: milliseconds(limits.wait),
    connections: {
      all: limits.connections,
      perAddress: limits.connectionsPerAddress,
      perNetwork: limits.connectionsPerNetwork,
    },
    drainReadyMs: milliseconds(drain.ready),
    drainMs: milliseconds(drain.finish),
  }
}

/** Reads `tokens` and `revocation`. Mistakes go to the report. */
export function compileTokens(
  file: ConfigurationFile,
  report: Report,
): Pick<Settings, 'tokens' | 'revocation' | 'applications' | 'quotas'> {
  const { tokens, revocation } = file
  const publishBeforeMs = milliseconds(tokens.publishBefore)
  const rotateEveryMs = milliseconds(tokens.rotateEvery)
  if (publishBeforeMs >= rotateEveryMs) {
    report.problem(
      ['tokens', 'publishBefore'],
      'must be shorter than tokens.rotateEvery, or no key is ever ready in time',
    )
  }
  if (milliseconds(tokens.refreshIdle) > milliseconds(tokens.refreshLifetime)) {
    report.problem(['tokens', 'refreshIdle'], 'must not be longer than tokens.refreshLifetime')
  }
  const staleAfterMs = milliseconds(revocation.staleAfter)
  const pollMs = milliseconds(revocation.poll)
  if (staleAfterMs < 2 * pollMs) {
    report.problem(
      ['revocation', 'staleAfter'],
      'must be at least twice revocation.poll, or one slow poll refuses everybody',
    )
  }
  return {
    tokens: {
      lifetimeSeconds: milliseconds(tokens.lifetime) / 1000,
      leewaySeconds: milliseconds(tokens.leeway) / 1000,
      algorithm: tokens.algorithm,
      publishBeforeMs,
      rotateEveryMs,
      cacheEntries: tokens.cache,
      codeLifetimeMs: milliseconds(tokens.code),
      refreshIdleMs: milliseconds(tokens.refreshIdle),
      refreshMs: milliseconds(tokens.refreshLifetime),
      refreshGraceMs: milliseconds(tokens.refreshGrace),
    },
    applications: { restorableMs: milliseconds(file.applications.restorable) },
    quotas: { ...file.quotas },
    revocation: {
      staleAfterMs,
      pollMs,
      bounds: {
        perApplication: revocation.singlePerApplication,
        perUser: revocation.singlePerUser,
        credentials: revocation.credentialsPerApplication,
      },
    },
  }
}

// URL normalises what a person may write differently; the issuer is compared as a string, so only one spelling will do.
function checkBaseUrl(baseUrl: string, report: Report): void {
  const path: Path = ['server', 'baseUrl']
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined
  if (origin === undefined) report.problem(path, `is not a URL: ${report.places.quoted(path)}`)
  if (origin === undefined || origin === baseUrl) return
  const better = report.places.shownText(path) === '' ? '' : `; write ${JSON.stringify(origin)}`
  report.problem(path, `must be in normal form: lower case, no default port${better}`)
}

function addressOf(text: string, path: Path, report: Report): { host: string; port: number } {
  const address = parseHostPort(text)
  if (address === undefined)
    report.problem(path, `${report.places.quoted(path)} is no address with a port from 0 to 65535`)
  return address ?? { host: '', port: 0 }
}

function apiHostsOf({ apiHosts, baseUrl }: ConfigurationFile['server'], report: Report): readonly string[] {
  const own = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : undefined
  return textsOf(apiHosts, ['server', 'apiHosts']).map(({ text, path }) => {
    const host = text.toLowerCase()
    if (!/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host)) {
      report.problem(path, `${report.places.quoted(path)} is no host name; ports and wildcards do not belong here`)
    }
    if (host === own) report.problem(path, 'is the host of server.baseUrl, where sign-in and portal are')
    return host
  })
}

function proxiesOf(value: readonly string[] | string, report: Report): readonly string[] {
  return textsOf(value, ['server', 'trustedProxies']).map(({ text, path }) => {
    const wrong = whyNotAddressBlock(text)
    if (wrong !== undefined) report.problem(path, `${report.places.quoted(path)} ${wrong}`)
    return text
  })
}
