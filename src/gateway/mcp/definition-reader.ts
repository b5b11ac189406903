// Reads the definitions of tools at their servers, so that calls are covered that no list comes before. It asks in the
// gate's own name: nobody's call is behind it, and it has what connecting needs.

import { randomUUID } from 'node:crypto'
import type { Settings } from '../../config/settings/settings.js'
import { toolDefinition } from '../../mcp/tool-definition.js'
import { readToolItems } from '../../mcp-client/server.js'
import { signAssertion } from '../../tokens/assertion.js'
import type { Keyring } from '../../tokens/keys/keys.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import { identityPrefix } from '../forward/headers/identity-fields.js'
import { type McpRoute, serverPlace } from './server-place.js'

export interface DefinitionReaderDeps {
  settings: Pick<Settings, 'upstreams'> & { server: Pick<Settings['server'], 'baseUrl'> }
  keyring: Pick<Keyring, 'signingKey'>
  pins: Pick<ToolPins, 'saw'>
  /** Of this program, which servers are told. */
  version: string
  /** Epoch milliseconds. */
  now: () => number
}

/** For all answers of one server. */
const deadlineMs = 20_000
const lifeSeconds = 60
/** The gate belongs to no tenant. */
const noTenant = '00000000-0000-0000-0000-000000000000'

/**
 * Reads the tools of a route's server and holds them against what was approved; `turn` counts up, for another target each
 * time. Throws McpFailure, or Error where the route leads to no server that could be read.
 */
export async function readDefinitions(
  deps: DefinitionReaderDeps,
  route: McpRoute,
  { turn, signal }: { turn: number; signal: AbortSignal },
): Promise<void> {
  const { settings, pins, version } = deps
  const place = serverPlace(route, settings.upstreams.get(route.upstream), turn)
  if (typeof place === 'string') throw new Error(`there is no one server of ${route.id} to read`)
  const fields = await identityOf(deps, route)
  const ends = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  const items = await readToolItems({ ...place, fields, signal: ends }, version)
  const definitions = items.flatMap((item) => toolDefinition(item) ?? [])
  const named = definitions.filter(({ name }) => route.mcp.tools.has(name))
  pins.saw({ id: route.id, holds: route.mcp.pins === 'hold' }, named)
}

async function identityOf(
  { settings, keyring, now }: DefinitionReaderDeps,
  { upstream, identity, mcp }: McpRoute,
): Promise<(readonly [string, string])[]> {
  const how = identity ?? settings.upstreams.get(upstream)?.identity
  if (how === undefined || how === 'none') return []
  const { baseUrl } = settings.server
  const iat = Math.floor(now() / 1000)
  const [least = []] = mcp.first.anyOf
  const assertion = await signAssertion(keyring, {
    iss: baseUrl,
    aud: upstream,
    sub: baseUrl,
    client_id: baseUrl,
    tid: noTenant,
    idtyp: 'app',
    iat,
    exp: iat + lifeSeconds,
    jti: randomUUID(),
    scope: least.join(' '),
  })
  if (how === 'jwt') return [['authorization', `Bearer ${assertion}`]]
  return [
    [`${identityPrefix}permissions`, least.join(' ')],
    [`${identityPrefix}assertion`, assertion],
  ]
}
