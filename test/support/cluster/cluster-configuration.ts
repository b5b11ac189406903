// The configuration of a cluster under test: the file that ships, with limits out of reach, routes to a service that
// writes down what reaches it, and a few policies whose numbers a test can reach.

import { readFileSync } from 'node:fs'
import { type Document, parseDocument } from 'yaml'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'

/** The public name of every cluster. */
export const clusterHost = 'gate.example'

/** Requests that each of the policies `strict`, `leased` and `local` lets through in an hour. */
export const checkedQuota = 300

/** Units in an hour of the policies `down-local`, `down-refuse` and `down-pass`, which are strict. */
export const smallQuota = 30

/** Units in a second, and at once, of the policy `paced`, which is leased. */
export const paced = { limit: 60, burst: 60 }

/** Text of the configuration; `change` has the last word. */
export function clusterConfiguration(upstreamPort: number, change: (document: Document) => void = () => {}): string {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['mode'], 'production')
  document.setIn(['server', 'baseUrl'], `https://${clusterHost}`)
  document.setIn(['server', 'tls'], 'off')
  document.setIn(['server', 'trustedProxies'], ['127.0.0.1/32'])
  document.setIn(['server', 'limits', 'perAddress'], '100000000/min')
  // On a machine that does other things too, a flood of a test would be refused by it.
  document.setIn(['server', 'limits', 'wait'], '0s')
  document.setIn(['server', 'drain', 'ready'], '1s')
  document.setIn(['tokens', 'failedAuthentications'], '1000000/min')
  for (const name of ['perAccount', 'perAddress', 'overall']) document.setIn(['signIn', name], '1000000/min')
  document.setIn(['log', 'format'], 'json')
  raiseLimits(document)
  for (const mode of ['strict', 'leased', 'local']) {
    const shared = mode === 'local' ? {} : { onDown: 'local' }
    limitedRoute(document, mode, { by: 'application', quota: `${checkedQuota}/h`, mode, ...shared })
  }
  for (const onDown of ['local', 'refuse', 'pass']) {
    const policy = { by: 'application', quota: `${smallQuota}/h`, mode: 'strict', onDown }
    limitedRoute(document, `down-${onDown}`, policy)
  }
  limitedRoute(document, 'paced', {
    ...{ by: 'application', rate: `${paced.limit}/s`, burst: paced.burst, mode: 'leased' },
  })
  document.setIn(['upstreams', 'recorder'], { target: `http://127.0.0.1:${upstreamPort}` })
  document.setIn(['routes', 'GET /api/v2/check/{id}'], { to: 'recorder', require: 'assets_read' })
  document.setIn(['routes', 'POST /api/v2/check/{id}'], { to: 'recorder', require: 'assets_create' })
  change(document)
  return document.toString()
}

/**
 * Bounds that a machine which stands still for some seconds does not reach; a Store that is away would be waited for as
 * long.
 */
export function patientWithStore(document: Document): void {
  for (const name of ['connect', 'statement', 'wait']) document.setIn(['store', 'postgresql', name], '20s')
  for (const name of ['connect', 'command']) document.setIn(['redis', name], '10s')
}

/** A policy, and a route that has no other. */
function limitedRoute(document: Document, name: string, policy: object): void {
  document.setIn(['limits', name], policy)
  document.setIn(['routes', `GET /api/v2/${name}/{id}`], { to: 'recorder', require: 'assets_read', limits: [name] })
}

/** The same policies decide, only their numbers are out of reach. */
function raiseLimits(document: Document): void {
  const policies = document.toJS().limits as Record<string, { rate?: string; quota?: string }>
  for (const [name, policy] of Object.entries(policies)) {
    if (policy.rate !== undefined) document.setIn(['limits', name, 'rate'], '1000000/s')
    if (policy.rate !== undefined) document.setIn(['limits', name, 'burst'], 1_000_000)
    if (policy.quota !== undefined) document.setIn(['limits', name, 'quota'], '1000000000/day')
  }
}
