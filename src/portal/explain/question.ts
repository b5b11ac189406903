// The question that the form of Explain asks: which call, and by whom. Read from the form as it was typed.

import { ApiError } from '../../http/answers/api-error.js'
import type { ExplainBody } from '../../management/server/explain-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import type { PortalContext } from '../context.js'
import { type Operation, operationIn, operations } from './operation.js'

/** Who would call. */
export const callers = {
  application: 'The application as itself',
  person: 'The application for a person',
  token: 'The holder of this token',
  nobody: 'Nobody: without a token',
} as const
export type Who = keyof typeof callers

/** As it was typed; what the form shows again. The token is not among it. */
export interface Typed {
  method: string
  path: string
  who: Who
  application: string
  user: string
  scope: string
  operation: Operation
  /** Of the operation; empty: the call is about none. */
  operationName: string
}

/** What a form says that was sent. */
export function typed(from: { get(name: string): string | null | undefined }): Typed {
  const who = from.get('who') ?? ''
  const operation = from.get('operation') ?? ''
  return {
    method: from.get('method') ?? 'GET',
    path: from.get('path') ?? '',
    who: Object.hasOwn(callers, who) ? (who as Who) : 'application',
    application: from.get('application') ?? '',
    user: from.get('user') ?? '',
    scope: from.get('scope') ?? '',
    operation: Object.hasOwn(operations, operation) ? (operation as Operation) : 'tool',
    operationName: from.get('operationName') ?? '',
  }
}

/** What the form begins with: what the address says, and otherwise what one is likely to ask. */
export function suggested({ query, person }: PortalContext): Typed {
  const said = typed(query)
  return {
    ...said,
    path: said.path === '' ? '/api/v2/me' : said.path,
    user: said.user === '' ? person.user.email : said.user,
  }
}

/** For `POST /explain`. Throws ApiError with the name of the field. */
export async function questionOf(context: PortalContext, typed: Typed, form: FormFields): Promise<ExplainBody> {
  const { method, path, who } = typed
  const call = { method, path, ...operationIn(typed.operation, typed.operationName) }
  if (who === 'nobody') return call
  if (who === 'token') {
    const token = form.get('token')?.trim()
    if (token === undefined) throw invalid('token', 'Paste the token that would be sent.')
    return { ...call, token }
  }
  if (typed.application === '') throw invalid('application', 'Say which application would call.')
  return {
    ...call,
    applicationId: typed.application.trim(),
    ...(who === 'person' ? { userId: await userId(context, typed.user.trim()) } : {}),
    ...(typed.scope.trim() === '' ? {} : { scope: typed.scope.trim() }),
  }
}

/** People are known by their address; only administrators may look up others than themselves. */
async function userId(context: PortalContext, address: string): Promise<string> {
  const { user } = context.person
  if (address.toLowerCase() === user.email.toLowerCase()) return user.userId
  try {
    const path = `/users?email=${encodeURIComponent(address)}`
    const { value } = await context.api<{ value: { userId: string }[] }>('GET', path)
    const [found] = value
    if (found !== undefined) return found.userId
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    throw invalid('user', 'Only administrators may ask about other people; you can ask about yourself.')
  }
  throw invalid('user', 'Nobody with this address belongs to the tenant.')
}

function invalid(target: string, message: string): ApiError {
  return new ApiError(400, 'InvalidRequest', message, { target })
}
