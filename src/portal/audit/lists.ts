// The lists of the audit: what was done and what was tried, in the current tenant, and on the whole server for operators.

import type { ActivityEntries, AuditEvents } from '../../management/audit/audit-schemas.js'

/** One of them. */
export interface AuditListPage {
  list: 'events' | 'attempts'
  scope: 'tenant' | 'server'
  path: string
  routeId: string
  /** Where it stands in the API. */
  api: string
  /** Where it is taken along; attempts are not. */
  exportPath: string | undefined
}

/** In the order of their tabs. */
export const auditLists: readonly AuditListPage[] = [
  {
    list: 'events',
    scope: 'tenant',
    path: '/portal/audit',
    routeId: 'portal-audit',
    api: '/auditEvents',
    exportPath: '/portal/audit/export',
  },
  {
    list: 'attempts',
    scope: 'tenant',
    path: '/portal/audit/attempts',
    routeId: 'portal-audit-attempts',
    api: '/activity',
    exportPath: undefined,
  },
  {
    list: 'events',
    scope: 'server',
    path: '/portal/server/audit',
    routeId: 'portal-server-audit',
    api: '/auditEvents/server',
    exportPath: '/portal/server/audit/export',
  },
  {
    list: 'attempts',
    scope: 'server',
    path: '/portal/server/audit/attempts',
    routeId: 'portal-server-audit-attempts',
    api: '/activity/server',
    exportPath: undefined,
  },
]

/** What the tabs call them. */
export const listTexts = { events: 'Events', attempts: 'Attempts' } as const

/** A row of either list. */
export type Noted = (AuditEvents['value'][number] | ActivityEntries['value'][number]) & {
  position?: number
  actor?: unknown
}
export type AuditNames = AuditEvents['names']
