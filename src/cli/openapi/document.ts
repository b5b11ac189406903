// An OpenAPI 3 document, as far as routes and permissions stand in it. Only what is read is checked; everything else
// may be as it likes.

/** One scheme of `components.securitySchemes`. */
export interface SecurityScheme {
  type?: unknown
  flows?: Record<string, { scopes?: Record<string, unknown> } | undefined>
}

/** By the name of the scheme: the scopes that it needs. All of them together. */
export type SecurityRequirement = Record<string, readonly string[]>

export interface OpenApiDocument {
  info?: { title?: unknown }
  servers?: readonly { url: string }[]
  security?: readonly SecurityRequirement[]
  components?: { securitySchemes?: Record<string, SecurityScheme> }
  paths?: Record<string, Record<string, unknown> | undefined>
}

export interface GivenOperation {
  /** Upper case. */
  method: string
  /** As in the document: `/pets/{petId}`. */
  path: string
  /** Undefined: neither it nor the document says anything. */
  security: readonly SecurityRequirement[] | undefined
}

const verbs = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'] as const

/** The document, or what is wrong with it as one. */
export function checkDocument(data: unknown): OpenApiDocument | string {
  if (!isMapping(data)) return 'the file is no OpenAPI document'
  if (data['swagger'] !== undefined) return 'this is Swagger 2.0; convert it to OpenAPI 3 first'
  if (typeof data['openapi'] !== 'string' || !/^3\./.test(data['openapi'])) return 'the file is no OpenAPI 3 document'
  if (!isMapping(data['paths']) || Object.keys(data['paths']).length === 0) return 'the document has no paths'
  const { servers } = data
  const isListed =
    servers === undefined || (Array.isArray(servers) && servers.every((one) => typeof one?.url === 'string'))
  if (!isListed) return 'servers must be a list of {url}'
  if (!isSecurity(data['security'])) return 'security must be a list of mappings from schemes to lists of scopes'
  return data as OpenApiDocument
}

/** What people call the service. */
export function titleOf({ info }: OpenApiDocument): string {
  return typeof info?.title === 'string' ? info.title.replace(/\s+/g, ' ').slice(0, 100) : 'the service'
}

/** Every operation, in the order of the document. What a path only refers to is not looked for. */
export function operationsOf(document: OpenApiDocument): GivenOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    if (!isMapping(item)) return []
    return verbs.flatMap((verb): GivenOperation[] => {
      const operation = item[verb]
      if (!isMapping(operation)) return []
      const own = operation['security']
      const security = own === undefined || !isSecurity(own) ? document.security : own
      return [{ method: verb.toUpperCase(), path, security }]
    })
  })
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSecurity(value: unknown): value is readonly SecurityRequirement[] | undefined {
  if (value === undefined) return true
  return (
    Array.isArray(value) &&
    value.every((one) => isMapping(one) && Object.values(one).every((scopes) => Array.isArray(scopes)))
  )
}
