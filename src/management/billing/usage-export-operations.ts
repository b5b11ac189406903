// What the export of usage is for, as the document of the API says it.

import type { DescribedOperation } from '../../http/described-operations.js'
import { usageExport } from './usage-export-schemas.js'

const exportText = 'Every call that was counted is in exactly one line. Names and plans are those of now.'
const csv = { description: 'The usage, with a heading.', type: 'text/csv' }
const json = { description: 'The usage.', schema: usageExport }

/** By `METHOD /path`. */
export const usageExportOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/usage/export': [
    'exportUsage',
    'Takes the counted calls of a month along, for billing',
    { description: exportText, answers: { 200: json }, refusals: [404] },
  ],
  'GET /api/v2/usage/export.csv': [
    'exportUsageAsCsv',
    'The same for spreadsheets',
    { description: exportText, answers: { 200: csv }, refusals: [404] },
  ],
}
