// What readers of the ledger and of the activity log may ask for: both tables have these columns.

/** Absent: everything. Times are epoch milliseconds. */
export interface LedgerFilter {
  tenantId?: string | undefined
  applicationId?: string | undefined
  userId?: string | undefined
  event?: string | undefined
  from?: number | undefined
  /** Not included. */
  to?: number | undefined
}

type Condition = readonly [
  column: 'tenant_id' | 'application_id' | 'user_id' | 'event' | 'at',
  operator: '=' | '>=' | '<',
  value: string | number,
]

/** What must hold of every row that fits. */
export function conditionsOf({ tenantId, applicationId, userId, event, from, to }: LedgerFilter): Condition[] {
  const all = [
    ['tenant_id', '=', tenantId],
    ['application_id', '=', applicationId],
    ['user_id', '=', userId],
    ['event', '=', event],
    ['at', '>=', from],
    ['at', '<', to],
  ] as const
  return all.flatMap(([column, operator, value]) => (value === undefined ? [] : [[column, operator, value] as const]))
}
