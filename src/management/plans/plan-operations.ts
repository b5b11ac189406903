// What the operations about plans are for, as the document of the API says it.

import type { DescribedOperation } from '../../http/described-operations.js'

/** The list of a tenant that there may not be. */
const ofOne = { refusals: [404] } as const

/** By `METHOD /path`. */
export const planOperations: Readonly<Record<string, DescribedOperation>> = {
  'GET /api/v2/plans': ['listPlans', 'Lists the plans that there are'],
  'GET /api/v2/applications/{id}/plan': ['readApplicationPlan', 'Says which plan an application has, with its limits'],
  'PUT /api/v2/applications/{id}/plan': [
    'changeApplicationPlan',
    'Puts an application on a plan, or gives it numbers of its own',
  ],
  'GET /api/v2/applications/{id}/planUsage': [
    'readPlanUsage',
    'Says what an application has left of the limits that count for it',
  ],
  'POST /api/v2/applications/{id}/planRequest': ['requestPlan', 'Requests a plan that somebody else has to approve'],
  'DELETE /api/v2/applications/{id}/planRequest': ['withdrawPlanRequest', 'Takes such a request back'],
  'GET /api/v2/planUse': ['readPlanUse', 'Says how many applications were put on each plan'],
  'GET /api/v2/planUse/applications': ['listPlanApplications', 'Lists the applications that were put on a plan'],
  'GET /api/v2/planRequests': ['listPlanRequests', 'Lists the requests for plans that nobody has decided yet', ofOne],
  'POST /api/v2/planRequests/{id}/approve': ['approvePlanRequest', 'Approves such a request'],
  'POST /api/v2/planRequests/{id}/decline': ['declinePlanRequest', 'Declines such a request'],
}
