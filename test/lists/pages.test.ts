// Every list of the API, by the document: with pages, or named here with what it has at most.

import t from 'tap'
import { openDescribedServer } from '../support/settings/described-server.js'

/** Lists without pages, by path: what bounds them. */
const bounded: Readonly<Record<string, string>> = {
  '/api/v2/apis': '50 APIs of a tenant (directory/permissions/apis.ts)',
  '/api/v2/apiCatalogue': 'the configuration, and the APIs of the tenant',
  '/api/v2/apiCatalogue/{id}/callers': 'the 1,000 most called lines (management/api-catalogue/callers.ts)',
  '/api/v2/permissions': 'the configuration, and 100 permissions of each of those APIs',
  '/api/v2/applications/{id}/owners': '50 owners (directory/applications/owners-in-transaction.ts)',
  '/api/v2/applications/{id}/federatedCredentials':
    'so many of an application (directory/credentials/federated-credentials.ts)',
  '/api/v2/applications/{id}/newRedirectOrigins': '100 of an application (directory/applications/new-origins.ts)',
  '/api/v2/tenants/{id}/newRedirectOrigins': 'the newest 1,000 (directory/applications/new-origins.ts)',
  '/api/v2/registrationTokens': '100 that work, of a tenant (directory/applications/registration-tokens.ts)',
  '/api/v2/consents': '5,000 of each kind; an application or a person narrows them (directory/consents/consents.ts)',
  '/api/v2/applications/{id}/consentRequests': 'the newest 500 (directory/consents/consent-requests.ts)',
  '/api/v2/consentRequests/own': 'the newest 500 (directory/consents/consent-requests.ts)',
  '/api/v2/consentRequests': 'the newest 500; a state narrows them (directory/consents/consent-requests.ts)',
  '/api/v2/plans': '100 plans (config/plans/plan-schema.ts)',
  '/api/v2/applications/{id}/planUsage': 'the limits of the configuration',
  '/api/v2/planUse': 'those plans, and what applications were put on before (one row for each name)',
  '/api/v2/planRequests': 'the oldest 500; a tenant narrows them (directory/plans/plan-requests.ts)',
  '/api/v2/webhooks': '20 of a tenant (events/webhooks.ts)',
  '/api/v2/operators': 'the first 500 (management/people/operators.ts)',
  '/api/v2/providers': 'the configuration',
  '/api/v2/webhookEvents': 'the events that there are (events/event-types.ts)',
  '/api/v2/usage':
    '10,000 lines of days, 1,000 of the last hour or day (management/permissions/daily-usage.ts, recent-usage.ts)',
  '/api/v2/overview/applications/lines': '200 lines from $skip on (management/overview/application-lines.ts)',
  '/api/v2/overview/unusedPermissions': '20 lines (management/overview/tenant-overview.ts)',
  '/api/v2/overview/signIns': 'likewise, and 96 slots of time',
  '/api/v2/overview/server': 'likewise (management/overview/server-overview.ts)',
  '/api/v2/usage/export': 'a month, streamed: what is counted in it is bounded by days, applications and routes',
  '/api/v2/usage/limits': 'the limits of the configuration',
  '/api/v2/applications/{id}/permissionUse': 'the permissions of one application',
  '/api/v2/applications/{id}/pkceUse': '30 days',
  '/downloads': 'the packages of this server',
  '/api/v2/keys': 'the keys that sign or may still be met',
  '/api/v2/routes': 'the configuration',
  '/api/v2/tenants/{id}/toolRules':
    'the tools of the configuration, and those of earlier ones for which a rule was set',
  '/api/v2/toolChanges': 'one of each tool that the configuration names',
}

interface Shape {
  properties?: Record<string, { type?: string }>
}

t.test('gateway M8: a list has pages or a bound', async (t) => {
  const { document, stop } = await openDescribedServer(t.testdir())
  t.teardown(stop)
  const schemas = (document.components as { schemas?: Record<string, Shape> }).schemas ?? {}
  const resolved = (shape: Shape & { $ref?: string }): Shape =>
    shape.$ref === undefined ? shape : (schemas[shape.$ref.split('/').at(-1) ?? ''] ?? {})
  const lists: { path: string; hasPages: boolean; takes: string[] }[] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    const { get } = operations as { get?: Operation }
    const shape = resolved(get?.responses['200']?.content?.['application/json']?.schema ?? {})
    if (shape.properties?.['value']?.type !== 'array') continue
    const takes = (get?.parameters ?? []).map(({ name }) => name ?? '')
    lists.push({ path, hasPages: shape.properties['nextLink'] !== undefined, takes })
  }
  t.ok(lists.length > 20, 'the document tells of the lists')
  for (const { path, hasPages, takes } of lists) {
    if (hasPages) t.ok(takes.includes('$top') && takes.includes('$skiptoken'), `${path} takes them`)
    else t.type(bounded[path], 'string', `${path} has pages, or is named with its bound`)
  }
  const unpaged = lists.filter(({ hasPages }) => !hasPages).map(({ path }) => path)
  t.same(
    Object.keys(bounded).filter((path) => !unpaged.includes(path)),
    [],
    'no bound of a list that is none',
  )
})

interface Operation {
  parameters?: { name?: string }[]
  responses: Record<string, { content?: Record<string, { schema?: Shape & { $ref?: string } }> } | undefined>
}
