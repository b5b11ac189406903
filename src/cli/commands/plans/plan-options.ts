// What may be said to the commands about plans.

import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { OutputFormat } from '../../output/output.js'

export interface PlanListOptions extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

export interface DeclineOptions extends ConnectionOptions {
  reason?: string
}

export interface ApplicationPlanOptions extends ConnectionOptions {
  output: OutputFormat
}

export interface RequestOptions extends ApplicationPlanOptions {
  reason?: string
}

export interface OverrideOptions extends ApplicationPlanOptions {
  rate?: string[]
  burst?: string[]
  quota?: string[]
  concurrent?: number | false
  remove?: string[]
  none?: boolean
}
