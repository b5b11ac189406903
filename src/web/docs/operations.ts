// What the addresses of the documentation are for, as the document of the API says it.

import type { OperationGroup } from '../../http/described-operations.js'

/** One group: the pages, and what the search looks through. */
export const documentationOperations: OperationGroup = {
  tag: 'Documentation',
  description: 'How to run Portcullis, build on it and operate it.',
  family: 'page',
  security: [],
  operations: {
    'GET /docs': ['showDocs', 'All pages of the documentation', { tagged: true }],
    'GET /docs/{page}': ['showDocsPage', 'One page of the documentation', { tagged: true }],
    'GET /docs/search.json': [
      'getDocumentationIndex',
      'What the search of the documentation looks through',
      {
        answers: {
          200: {
            description: 'Address, page, heading and words of each section.',
            schema: { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 4, maxItems: 4 } },
          },
        },
        tagged: true,
      },
    ],
  },
}
