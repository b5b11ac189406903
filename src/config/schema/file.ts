// The whole configuration file. The JSON Schema for editors is made from this, so the two cannot differ.

import { type Static, Type } from 'typebox'
import { leaf, section } from './leaves.js'
import { Data, Log, Revocation, Secrets, Server, Store, Tokens } from './process.js'
import { Defaults, Limits, Permissions, Resources, Routes, Upstreams } from './rules.js'

/** The file's shape, with every default. */
export const ConfigurationFile = section('Configuration of Portcullis.', {
  version: Type.Integer({
    description: 'Version of this file’s format.',
    default: 1,
    minimum: 1,
    maximum: 1,
    errorMessage: 'must be 1, the only version of the format',
  }),
  mode: leaf.word(
    '`production` refuses to start on development material.',
    ['development', 'production'],
    'development',
  ),
  server: Server,
  data: Data,
  store: Store,
  secrets: Secrets,
  tokens: Tokens,
  revocation: Revocation,
  log: Log,
  resources: Resources,
  permissions: Permissions,
  upstreams: Upstreams,
  limits: Limits,
  defaults: Defaults,
  routes: Routes,
})
export type ConfigurationFile = Static<typeof ConfigurationFile>
