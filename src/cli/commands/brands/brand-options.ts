// What `brand set` is given.

import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { OutputFormat } from '../../output/output.js'

/** Each as it was typed; a logo is the path of a file. */
export interface BrandOptions extends ConnectionOptions {
  output?: OutputFormat
  name?: string
  accent?: string
  accentDark?: string
  logo?: string
  logoDark?: string
  home?: string
  terms?: string
  privacy?: string
  support?: string
  reason?: string
}
