// What is said on the command line of an import.

import type { ConnectionOptions } from '../calls/connection-options.js'
import type { OutputFormat } from '../output/output.js'

export interface ImportOptions extends ConnectionOptions {
  tenant?: string
  map?: string[]
  mapFile?: string
  only?: string[]
  plan?: string
  planOf?: string[]
  update?: boolean
  dryRun?: boolean
  secretFile?: string
  output: OutputFormat
}
