// What /downloads is for, as the document of the API says it (decision 0063).

import type { OperationGroup } from '../http/described-operations.js'

const text = { type: 'string' }
const tarball = {
  200: { description: 'The tarball.', type: 'application/gzip', schema: { type: 'string', format: 'binary' } },
}

const list = {
  type: 'object',
  required: ['value'],
  properties: {
    value: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'version', 'url', 'immutableUrl', 'size', 'integrity'],
        properties: {
          name: text,
          version: text,
          url: { type: 'string', format: 'uri', description: 'What npm install takes.' },
          immutableUrl: { type: 'string', format: 'uri', description: 'The same bytes for ever.' },
          size: { type: 'integer', description: 'In bytes.' },
          integrity: { type: 'string', description: 'Subresource Integrity: sha512- and base64.' },
        },
      },
    },
    developmentAuthority: {
      type: 'object',
      required: ['url', 'fingerprint'],
      description: 'In development: what signs the certificate of this server.',
      properties: {
        url: { type: 'string', format: 'uri' },
        fingerprint: { type: 'string', description: 'SHA-256 of the certificate: AB:CD:….' },
      },
    },
  },
}

/** The chapter. */
export const downloadOperations: OperationGroup = {
  tag: 'Downloads',
  description: 'Packages that need no registry: the client library, and this server.',
  family: 'document',
  security: [],
  operations: {
    'GET /downloads': [
      'listDownloads',
      'What can be downloaded, with integrity values',
      { answers: { 200: { description: 'The list; a page for browsers.', schema: list, orPage: true } } },
    ],
    'GET /downloads/development-ca.pem': [
      'downloadDevelopmentAuthority',
      'The certificate authority of a server in development',
      {
        answers: {
          200: { description: 'The certificate.', type: 'application/x-pem-file', schema: text },
        },
        refusals: [404],
        tagged: true,
      },
    ],
    'GET /downloads/{file}': [
      'download',
      'A package, such as portcullis-client-1.2.3.tgz',
      { answers: tarball, refusals: [404], refusedByPage: [404], tagged: true },
    ],
    'GET /downloads/{digest}/{file}': [
      'downloadByDigest',
      'The package with this SHA-256, which may be kept for ever',
      { answers: tarball, refusals: [404], refusedByPage: [404], tagged: true },
    ],
  },
}
