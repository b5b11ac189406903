// What the routes about changed tools are for, as the document of the API says it.

import type { DescribedOperation } from '../../http/described-operations.js'

/** By `METHOD /path`. */
export const toolChangeOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/toolChanges': ['listToolChanges', 'Lists the tools whose definition changed since it was approved'],
  'GET /api/v2/toolChanges/{id}': ['readToolChange', 'Reads one, with the difference line by line'],
  'POST /api/v2/toolChanges/{id}/approve': [
    'approveToolChange',
    'Approves the definition with this digest',
    { refusals: [404, 409] },
  ],
}
