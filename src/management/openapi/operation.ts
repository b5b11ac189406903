// One operation of the document: what its route says of itself, and what its room says of it.

import type { Catalogue } from '../../config/settings/settings.js'
import type {
  DescribedAnswer,
  DescribedOperation,
  MoreOnOperation,
  OperationGroup,
} from '../../http/described-operations.js'
import type { RouteAccess } from '../access/access.js'
import { describeWeight } from '../recent-sign-in/weight.js'
import type { Components } from './components.js'
import type { ApiOperation, ApiParameter, ApiResponse } from './document-types.js'
import { reason, refusalsOf } from './refusals.js'
import type { RegisteredRoute } from './registered.js'

type Route = Omit<RegisteredRoute, 'url'>

/** Writes the operation of a route that `group` describes. */
export function writeOperation(
  { components, catalogue }: { components: Components; catalogue: Catalogue },
  route: Route,
  { group, described }: { group: OperationGroup; described: DescribedOperation },
): ApiOperation {
  const [operationId, summary, more = {}] = described
  const { access } = route
  const said = [
    more.description,
    ...(access === undefined
      ? []
      : [whoMay(access, catalogue), access.local === true ? undefined : describeWeight(route.method, route.path)]),
  ]
    .filter(Boolean)
    .join(' ')
  const parameters = parametersOf(route, more)
  const body = more.body ?? (route.body === undefined ? undefined : { type: 'application/json', schema: route.body })
  const isForm = route.method === 'POST' && group.family === 'page'
  const schema = body && components.refer(body.schema, `${capital(operationId)}Body`)
  return {
    operationId,
    tags: [group.tag],
    summary,
    ...(said === '' ? {} : { description: said }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body !== undefined && schema !== undefined
      ? { requestBody: { required: isNeeded(body.schema), content: { [body.type]: { schema } } } }
      : {}),
    responses: {
      ...goodAnswers(components, route, { operationId, group, more }),
      ...refusalsOf(group.family, {
        takesBody: body !== undefined || isForm,
        namesThings: route.path.includes('{'),
        others: [...(more.refusals ?? []), ...(more.tagged && route.method !== 'GET' ? [412] : [])],
        byPage: more.refusedByPage,
      }),
    },
    security: access === undefined ? (more.security ?? group.security) : [{ oauth2: [access.permission] }],
    ...(access === undefined ? {} : { 'x-permissions': [[access.permission]] }),
  }
}

/** `getPortalApplications` for a page. */
export function derivedId(method: string, path: string): string {
  return (
    method.toLowerCase() +
    path
      .split(/[^A-Za-z0-9]+/)
      .map(capital)
      .join('')
  )
}

function parametersOf({ path, query, method }: Route, more: MoreOnOperation): ApiParameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']): ApiParameter => ({ name, in: 'path', required: true, schema: { type: 'string' } }),
  )
  const { properties = {}, required = [] } = (query ?? {}) as {
    properties?: Record<string, object>
    required?: string[]
  }
  const checked = Object.entries(properties).map(
    ([name, schema]): ApiParameter => ({ name, in: 'query', required: required.includes(name), schema }),
  )
  const parameters = Object.entries(more.query ?? {}).map(
    ([name, description]): ApiParameter => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: { type: 'string' },
    }),
  )
  const tag = method === 'GET' ? 'If-None-Match' : 'If-Match'
  const tagged: ApiParameter[] = more.tagged
    ? [{ name: tag, in: 'header', required: false, schema: { type: 'string' } }]
    : []
  return [...inPath, ...checked, ...parameters, ...tagged]
}

function goodAnswers(
  components: Components,
  route: Route,
  { operationId, group, more }: { operationId: string; group: OperationGroup; more: MoreOnOperation },
): Record<string, ApiResponse> {
  const own = Object.entries(route.answers).map(([status, schema]): [string, DescribedAnswer] => [
    status,
    { description: reason(Number(status)), schema },
  ])
  const answers = Object.entries(
    more.answers ?? (own.length > 0 ? Object.fromEntries(own) : usualAnswers(route, group)),
  )
  const headers = more.tagged ? { headers: { etag: { schema: { type: 'string' } } } } : {}
  const written = answers.map(([status, answer]) => [
    status,
    { ...writeAnswer(components, operationId, answer), ...headers },
  ])
  const isRead = route.method === 'GET' && (more.tagged || group.family === 'document')
  const unchanged = isRead ? [['304', { description: 'Not Modified' }]] : []
  return Object.fromEntries([...written, ...unchanged])
}

function usualAnswers({ method }: Route, { family, leavesHere }: OperationGroup): Record<string, DescribedAnswer> {
  if (method === 'OPTIONS') return { 204: { description: 'What a page of another origin may send.' } }
  if (family !== 'page') return { 204: { description: 'Done.' } }
  const shown = { description: 'The page.', type: 'text/html' }
  const once = { description: 'The page, with what is shown this once.', type: 'text/html' }
  return {
    200: shown,
    ...(method === 'POST' ? { 201: once } : {}),
    ...(leavesHere ? { 302: { description: 'Back to the application.' } } : {}),
    303: { description: 'Goes on elsewhere.' },
  }
}

function writeAnswer(
  components: Components,
  operationId: string,
  { description, type, schema, orPage }: DescribedAnswer,
): ApiResponse {
  if (schema === undefined && type === undefined) return { description }
  const written = schema === undefined ? { type: 'string' } : components.refer(schema, `${capital(operationId)}Answer`)
  const page = orPage === true ? { 'text/html': { schema: { type: 'string' } } } : {}
  return { description, content: { [type ?? 'application/json']: { schema: written }, ...page } }
}

/** Who the permission opens it for, in a sentence. */
function whoMay({ permission, operator, local, self, caller }: RouteAccess, catalogue: Catalogue): string {
  if (local === true) return 'Only through the local socket of the server, which its command line uses.'
  const defined = catalogue.permissions.find(({ id, resource }) => id === permission && resource === catalogue.own.id)
  const role =
    defined === undefined || !defined.kinds.includes('delegated')
      ? ''
      : `; a person needs the role ${defined.role} or a higher one`
  const also = operator === true ? ' and must be an operator of this installation' : ''
  const itself = self === true ? ' An application may ask about itself without it.' : ''
  const own = caller === true ? ' The holder of an access token may ask about what counts for it without it.' : ''
  return `Takes the permission ${permission} (${defined?.kinds.join(' or ') ?? 'delegated'})${role}${also}.${itself}${own}`
}

function isNeeded(schema: object): boolean {
  const { required = [], minProperties = 0 } = schema as { required?: string[]; minProperties?: number }
  return required.length > 0 || minProperties > 0
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
