// Issuers outside, and the lists of routes that name them.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { IssuerSettings } from '../settings/issuer-settings.js'
import type { Catalogue } from '../settings/settings.js'
import { quantity } from './units.js'

type IssuerOfFile = Partial<ConfigurationFile['issuers'][string]>

interface Context {
  file: ConfigurationFile
  catalogue: Catalogue
  resourceIds: ReadonlyMap<string, string>
  report: Report
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What routes call the tokens of this server. */
const own = 'own'

/** Reads `issuers`. Mistakes go to the report. */
export function compileIssuers(context: Context): ReadonlyMap<string, IssuerSettings> {
  const { file, report } = context
  const issuers = new Map<string, IssuerSettings>()
  for (const [name, entry] of Object.entries(file.issuers)) {
    const path: Path = ['issuers', name]
    if (name === own) report.problem(path, 'is what routes call the tokens of this server', 'key')
    const twin = [...issuers.values()].find((other) => other.issuer === entry.issuer)
    if (twin !== undefined) report.problem([...path, 'issuer'], `is that of ${JSON.stringify(twin.name)} already`)
    checkIssuer(entry, path, context)
    issuers.set(name, issuerOf(name, entry, path, context))
  }
  return issuers
}

/** The names of a route's list; undefined when it names none but ours. Mistakes go to the report. */
export function issuersOfRoute(
  { names, resource, path }: { names: readonly string[] | undefined; resource: string; path: Path },
  issuers: ReadonlyMap<string, IssuerSettings>,
  report: Report,
): readonly string[] | undefined {
  if (names === undefined) return undefined
  for (const [index, name] of names.entries()) {
    const issuer = issuers.get(name)
    const at = [...path, index]
    if (issuer === undefined && name !== own) {
      report.unknown(at, { what: 'issuer', name, section: ['issuers'], known: [own, ...issuers.keys()] })
    } else if (issuer !== undefined && resource !== '' && issuer.resource !== '' && issuer.resource !== resource) {
      report.problem(at, `${JSON.stringify(name)} is for the routes of another resource`)
    }
  }
  return names.length === 1 && names[0] === own ? undefined : names
}

function issuerOf(name: string, entry: IssuerOfFile, path: Path, context: Context): IssuerSettings {
  const { report } = context
  const resource = resourceOf(entry, path, context)
  return {
    name,
    issuer: entry.issuer ?? '',
    audiences: [entry.audience ?? []].flat(),
    keys: keysOf(entry, path, report),
    algorithms: entry.algorithms ?? [],
    typ: entry.typ?.toLowerCase().replace(/^application\//, ''),
    leewaySeconds: quantity.milliseconds(entry.leeway ?? '60s') / 1000,
    applicationClaim: entry.application ?? '',
    userClaim: entry.user ?? '',
    acts: entry.acts ?? 'user',
    tenant: tenantOf(entry, path, report),
    permissions: permissionsOf(entry, resource, path, context),
    resource,
    position: report.places.position(path, 'key'),
  }
}

function checkIssuer({ issuer, jwks, pinned }: IssuerOfFile, path: Path, { file, report }: Context): void {
  if (issuer !== undefined && issuer === file.server.baseUrl) {
    report.problem([...path, 'issuer'], 'is this server itself')
  }
  if (issuer !== undefined && pinned === undefined && jwks === undefined && !isHttps(issuer)) {
    report.problem([...path, 'issuer'], 'is no https address, so its keys need a place: jwks or pinned')
  }
  if (jwks !== undefined && !isHttps(jwks)) report.problem([...path, 'jwks'], 'must be an https address')
  if (jwks !== undefined && pinned !== undefined) {
    report.problem([...path, 'pinned'], 'says the opposite of jwks: keys are fetched or pinned', 'key')
  }
  if (pinned === undefined && !file.federation.fetch) {
    report.problem(path, 'its keys cannot be fetched while federation.fetch is off; pin them', 'key')
  }
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}

function keysOf({ jwks, pinned }: IssuerOfFile, path: Path, report: Report): IssuerSettings['keys'] {
  if (pinned === undefined) return { url: jwks }
  try {
    const set = JSON.parse(pinned) as { keys: readonly object[] }
    if (Array.isArray(set.keys) && set.keys.every(isPublic)) return { jwks: set }
  } catch {
    // Said below.
  }
  report.problem([...path, 'pinned'], 'must be a JSON Web Key Set of public keys, each with its kid')
  return { url: undefined }
}

function isPublic(jwk: unknown): boolean {
  return typeof jwk === 'object' && jwk !== null && 'kid' in jwk && !('d' in jwk) && !('k' in jwk)
}

function tenantOf({ tenant }: IssuerOfFile, path: Path, report: Report): IssuerSettings['tenant'] {
  const check = (id: string, at: Path) => {
    if (!guid.test(id)) report.problem(at, 'must be a tenantId, a GUID in lower case')
  }
  if (tenant === undefined || typeof tenant === 'string') {
    if (tenant !== undefined) check(tenant, [...path, 'tenant'])
    return tenant ?? ''
  }
  for (const [value, id] of Object.entries(tenant.values ?? {})) check(id, [...path, 'tenant', 'values', value])
  return { claim: tenant.claim, values: new Map(Object.entries(tenant.values ?? {})) }
}

function resourceOf({ resource }: IssuerOfFile, path: Path, { catalogue, resourceIds, report }: Context): string {
  if (resource === undefined) return catalogue.own.id
  const id = resourceIds.get(resource)
  if (id !== undefined) return id
  const thing = { what: 'resource', name: resource, section: ['resources'], known: resourceIds.keys() }
  report.unknown([...path, 'resource'], thing)
  return ''
}

function permissionsOf(
  { permissions = {} }: IssuerOfFile,
  resource: string,
  path: Path,
  { catalogue, report }: Context,
): IssuerSettings['permissions'] {
  const known = catalogue.permissions.filter((one) => one.resource === resource).map(({ id }) => id)
  const claims = Object.entries(permissions).map(([claim, values]) => {
    const byValue = Object.entries(values ?? {}).map(([value, listed]) => {
      const ids = [listed].flat()
      for (const [index, name] of ids.entries()) {
        if (resource === '' || known.includes(name)) continue
        const at = [...path, 'permissions', claim, value, ...(Array.isArray(listed) ? [index] : [])]
        report.unknown(at, { what: 'permission', name, section: ['permissions'], known })
      }
      return [value, ids] as const
    })
    return [claim, new Map(byValue)] as const
  })
  return new Map(claims)
}
