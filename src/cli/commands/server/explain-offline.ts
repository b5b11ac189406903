// `portcullis explain METHOD PATH --with …`: what a configuration file would decide, without a server.

import type { PermissionKind } from '../../../directory/records.js'
import { type NamedOperation, operationNamed } from '../../../gateway/mcp/named-operation.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from './settings-file.js'

export interface OfflineOptions extends ConnectionOptions {
  /** Permissions of the token, separated by spaces or commas; `none` for a token with none. */
  with: string
  as: 'application' | 'user'
  bodyBytes?: number
  output: OutputFormat
}

/** Prints it. Throws CommandFailure with every mistake of the file. */
export async function explainOffline(
  { method, path, operation: named }: { method: string; path: string; operation?: NamedOperation },
  options: OfflineOptions,
  terminal: Terminal,
): Promise<void> {
  const settings = await readSettings(options, terminal)
  const { offlineGate } = await import('../../../gateway/explain/offline.js')
  const permissions = options.with.split(/[\s,]+/).filter((id) => id !== '' && id !== 'none')
  const kind: PermissionKind = options.as === 'user' ? 'delegated' : 'application'
  const token = { kind, resource: undefined, permissions }
  const operation = named === undefined ? undefined : operationNamed(named)
  if (named !== undefined && operation === undefined) {
    throw new CommandFailure(exitCodes.usage, `no message to an MCP server could name this ${named.kind}`)
  }
  const call = { method, target: path, bodyBytes: options.bodyBytes, token, operation }
  const { verdict, plan } = await offlineGate(settings)(call)
  const refused = verdict.kind === 'refused' ? verdict : undefined
  if (refused?.reason === 'no_mcp_server') throw new CommandFailure(exitCodes.usage, refused.error.message)
  const found = {
    outcome: refused === undefined ? 'allowed' : 'refused',
    status: refused?.error.status ?? null,
    reason: refused?.reason ?? (verdict.kind === 'passed' ? (verdict.wouldDeny ?? 'granted') : 'options'),
    needs: refused?.missing?.id ?? null,
    route: plan?.id ?? null,
    upstream: plan?.upstream.name ?? null,
    at:
      plan === undefined
        ? null
        : `${plan.route.position.file}:${plan.route.position.line}:${plan.route.position.column}`,
    limits: plan?.limits ?? [],
  }
  const fields = Object.entries(found).map(([label, value]) => ({ label, value: String(value ?? '') }))
  printRecord(
    terminal,
    options.output,
    found,
    fields.filter(({ value }) => value !== ''),
  )
}
