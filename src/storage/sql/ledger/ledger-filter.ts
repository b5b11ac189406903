// What readers of the ledger and of the activity log may ask for: both tables have these columns.

/** Absent: everything. Times are epoch milliseconds; of several ids one has to fit. */
export interface LedgerFilter {
  tenantId?: string | readonly string[] | undefined
  applicationId?: string | readonly string[] | undefined
  userId?: string | readonly string[] | undefined
  event?: string | undefined
  from?: number | undefined
  /** Not included. */
  to?: number | undefined
}

type Condition = readonly [
  column: 'tenant_id' | 'application_id' | 'user_id' | 'event' | 'at',
  operator: '=' | '>=' | '<' | 'in',
  value: string | number | string[],
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
  return all.flatMap(([column, operator, value]): Condition[] => {
    if (value === undefined) return []
    if (typeof value === 'object') return [[column, 'in', [...value]]]
    return [[column, operator, value]]
  })
}

/** What the Store takes as a parameter; no row of ours is beyond it. */
export function within(position: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(position, Number.MAX_SAFE_INTEGER))
}
