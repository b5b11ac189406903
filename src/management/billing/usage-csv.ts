// Usage as CSV (RFC 4180). People open it in spreadsheets, and names are what untrusted parties wrote: a cell that a
// spreadsheet would take for a formula begins with an apostrophe.

import type { UsageExportLine } from './usage-export-schemas.js'

const columns = [
  ...['day', 'tenantId', 'tenant', 'applicationId', 'application', 'plan', 'route', 'allowed'],
  ...['refusedPermission', 'refusedLimit', 'refusedToken', 'errorsClient', 'errorsServer'],
]

/** The first line. */
export const csvHeading = `${columns.join(',')}\r\n`

/** One line, with its end. */
export function csvLine({ refused, errors, ...line }: UsageExportLine): string {
  const { day, tenantId, tenant, applicationId, application, plan, route, allowed } = line
  const texts = [day, tenantId, tenant ?? '', applicationId, application ?? '', plan ?? '', route ?? ''].map(cellOf)
  const counts = [allowed, refused.permission, refused.limit, refused.token, errors.client, errors.server]
  return `${[...texts, ...counts.map(String)].join(',')}\r\n`
}

/** Also after blanks, and in the wide forms that some spreadsheets take for the same. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/

function cellOf(text: string): string {
  const inert = formula.test(text) ? `'${text}` : text
  return /[",\r\n;]|^\s|\s$/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
