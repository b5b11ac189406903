// The system query options of a list ($top, $skiptoken, $filter, $orderby). Read from the raw query, because a parser
// that keeps one of two values or passes a malformed escape on would hide what was really requested.

import { ApiError } from '../../http/answers/api-error.js'

/** The options that a list may know. */
export type QueryOption = '$top' | '$skiptoken' | '$filter' | '$orderby'

/** The most and the usual number of rows of a page. */
const maxTop = 200
const defaultTop = 100

/**
 * The options in the query of `url`, decoded. Names without `$` are not ours and are ignored. Throws ApiError 400 for
 * an option that is not `allowed`, repeated or empty, for a malformed escape and for control characters.
 */
export function readQueryOptions(url: string, allowed: readonly QueryOption[]): Partial<Record<QueryOption, string>> {
  const mark = url.indexOf('?')
  const found: Partial<Record<QueryOption, string>> = {}
  if (mark === -1) return found
  for (const pair of url.slice(mark + 1).split('&')) {
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    if (!name.startsWith('$')) continue
    const option = allowed.find((candidate) => candidate === name)
    if (option === undefined) throw refusal('UnsupportedQueryOption', allowedText(allowed))
    if (found[option] !== undefined) throw refusal('InvalidQueryOption', `${option} may be given once.`, option)
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    if (value === '') throw refusal('InvalidQueryOption', `${option} needs a value.`, option)
    found[option] = value
  }
  return found
}

/** Rows of a page: 1 to 200, 100 when absent. Throws ApiError 400. */
export function readTop(value: string | undefined): number {
  if (value === undefined) return defaultTop
  const top = /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (top < 1 || top > maxTop) {
    throw refusal('InvalidQueryOption', `$top is a whole number from 1 to ${maxTop}.`, '$top')
  }
  return top
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new ApiError(400, 'InvalidQueryOption', 'The query has a malformed percent escape.', { cause })
  }
  // NUL would reach the database, where SQLite and PostgreSQL differ; the others have no business in a query.
  if (/\p{Cc}/u.test(decoded)) throw refusal('InvalidQueryOption', 'The query has control characters.')
  return decoded
}

function allowedText(allowed: readonly QueryOption[]): string {
  return allowed.length === 0
    ? 'This resource takes no query options.'
    : `The query options of this resource are ${allowed.join(', ')}.`
}

function refusal(code: string, message: string, target?: QueryOption): ApiError {
  return new ApiError(400, code, message, target === undefined ? {} : { target })
}
