// What the commands about webhooks have in common.

import type { ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import type { WebhookCalls } from '../../calls/webhook-calls.js'
import type { OutputFormat } from '../../output/output.js'

export interface Options extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

/** Connects; `tenantId` is the one that `--tenant` names. */
export type Open = (
  options: Options,
) => Promise<{ client: LocalClient; calls: WebhookCalls; tenantId: string | undefined }>

export const idHelp = 'id of the webhook (see: webhook list)'
