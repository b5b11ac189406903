// What the operations about APIs are for, as the document of the API says it.

import { chapter, decided, tagged } from '../operation-chapter.js'

const openapi = { type: 'object', required: ['openapi', 'info', 'paths'] }
/** It answers a document of an API. */
export const ownSchema = { answers: { 200: { description: 'OpenAPI 3.1.', schema: openapi } } }

/** The chapter of APIs: the catalogue, and those that a tenant has of its own. */
export const apiOperations = chapter(
  'APIs',
  'What applications can be given access to, and the APIs that a tenant has of its own.',
  {
    'GET /api/v2/apiCatalogue': ['listApiCatalogue', 'Lists the APIs that applications can be given access to'],
    'GET /api/v2/apiCatalogue/{id}': [
      'readApiOfCatalogue',
      'Reads one of them: operations, permissions and who has to consent to them, what will end',
    ],
    'GET /api/v2/apiCatalogue/{id}/openapi.json': ['readApiDocument', 'Its part of the document of the API', ownSchema],
    'GET /api/v2/apiCatalogue/{id}/callers': [
      'listCallersOfApi',
      'Lists who called its operations in the last hour, the last day and thirty days',
    ],
    'GET /api/v2/apis': ['listApis', 'Lists the APIs of a tenant'],
    'POST /api/v2/apis': ['createApi', 'Registers an API with its permissions'],
    'GET /api/v2/apis/{id}': ['readApi', 'Reads an API', tagged],
    'GET /api/v2/apis/{id}/consequences': [
      'readApiConsequences',
      'Counts who has the permissions of an API, and says whether it may be deleted',
    ],
    'PATCH /api/v2/apis/{id}': ['changeApi', 'Changes an API', tagged],
    'DELETE /api/v2/apis/{id}': ['deleteApi', 'Deletes an API', { ...tagged, ...decided }],
  },
)
