// What the commands of `portcullis catalogue` are given.

import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { OutputFormat } from '../../output/output.js'

export interface CatalogueOptions extends ConnectionOptions {
  output: OutputFormat
  search?: string
}

export interface CallersOptions extends ConnectionOptions {
  output: OutputFormat
  operation?: string
  everywhere?: boolean
}
