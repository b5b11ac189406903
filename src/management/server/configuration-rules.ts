// The active configuration and the grants that it meets, for a caller that compares a configuration with them before it
// is loaded (`portcullis diff`). The comparison itself is made where the other file is.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { readAccessGrants } from '../../directory/consents/access-grants.js'
import { PlainRules, plainRules } from '../../gateway/diff/plain-rules.js'
import { requires } from '../access/access.js'
import { openPageToken, type PageQuery, pageLink, pageQuery } from '../answers/page.js'
import type { ManagementDependencies } from '../dependencies.js'

const grant = Type.Object({
  applicationId: Type.String(),
  applicationName: Type.String(),
  tenantId: Type.String(),
  kind: Type.Enum(['application', 'delegated']),
  /** Of the people for whom it acts. */
  role: Type.Optional(Type.Enum(['member', 'developer', 'administrator', 'owner'])),
  /** How many they are; 0 for an application as itself. */
  people: Type.Integer(),
  permissions: Type.Array(
    Type.Object({ resource: Type.String(), id: Type.String(), by: Type.Enum(['administrator', 'user']) }),
  ),
})
const grants = Type.Object({ value: Type.Array(grant), nextLink: Type.Optional(Type.String()) })
export type GrantsAnswer = Static<typeof grants>

const grantList = { path: '/configuration/grants', list: 'access grants' } as const

/** `GET /configuration/rules`, `GET /configuration/grants`: a page is of so many applications. */
export function configurationRulesRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { settings, store, pagingKey } = deps
  app.get(
    '/configuration/rules',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: PlainRules } } },
    async () => plainRules(settings),
  )
  app.get<{ Querystring: PageQuery }>(
    '/configuration/grants',
    {
      config: requires('Server.Read', 'operator'),
      schema: { querystring: pageQuery, response: { 200: grants } },
    },
    async (request): Promise<GrantsAnswer> => {
      const { limit, after } = openPageToken(pagingKey, request.query, grantList.list)
      const { grants: found, last } = await readAccessGrants(store.reader, { after: after?.id, limit })
      const value = found.map(({ role, permissions, ...one }) => ({
        ...one,
        permissions: permissions.map((permission) => ({ ...permission })),
        ...(role !== undefined && { role }),
      }))
      if (last === undefined) return { value }
      return { value, nextLink: pageLink(pagingKey, grantList, limit, { name: '', id: last }) }
    },
  )
}
