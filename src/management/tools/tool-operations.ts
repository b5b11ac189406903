// What the operations about rules for tools are for, as the document of the API says it.

import type { DescribedOperation } from '../../http/described-operations.js'
import { tagged } from '../operation-chapter.js'

/** By `METHOD /path`. */
export const toolRuleOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/tenants/{id}/toolRules': [
    'readToolRules',
    'Says which tools agents may call in a tenant, and how',
    tagged,
  ],
  'PATCH /api/v2/tenants/{id}/toolRules': ['changeToolRules', 'Changes that for the tools that it names', tagged],
}
