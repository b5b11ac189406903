// $filter (OData 4.01 URL conventions §5.1.1), the part that subscriptions need: eq and ne on state and displayName,
// startswith, and, or, not, parentheses. A recursive descent over tokens; depth and number of comparisons are bounded.
//
//   or    = and *( "or" and )
//   and   = not *( "and" not )
//   not   = "not" not / "(" or ")" / call / comparison

import { ApiError } from '../../http/answers/api-error.js'
import type { FilterField, SubscriptionCondition } from '../../storage/sql/resources/subscription-lists.js'

/** In UTF-8: with its percent escapes and a $skiptoken the next link still is a URL that is accepted. */
const maxBytes = 1024
const maxDepth = 16
const maxComparisons = 32

type Token = { kind: 'word' | 'mark' | 'text' | 'end'; text: string; at: number }

/** What is left to read, and what was used up of the bounds. */
interface Reader {
  tokens: readonly Token[]
  next: number
  depth: number
  comparisons: number
}

/**
 * The condition that a $filter value describes. Throws ApiError 400 that names the character where it stopped making
 * sense.
 */
export function parseFilter(value: string): SubscriptionCondition {
  if (Buffer.byteLength(value) > maxBytes) throw refusal(`$filter may have ${maxBytes} bytes.`)
  const reader: Reader = { tokens: tokenize(value), next: 0, depth: 0, comparisons: 0 }
  const condition = readOr(reader)
  take(reader, 'end', '', 'and, or, or the end')
  return condition
}

function readOr(reader: Reader): SubscriptionCondition {
  return readList(reader, 'or', readAnd)
}

function readAnd(reader: Reader): SubscriptionCondition {
  return readList(reader, 'and', readNot)
}

function readList(
  reader: Reader,
  word: 'and' | 'or',
  part: (reader: Reader) => SubscriptionCondition,
): SubscriptionCondition {
  const first = part(reader)
  const conditions = [first]
  while (skip(reader, 'word', word)) conditions.push(part(reader))
  return conditions.length === 1 ? first : { kind: word, conditions }
}

function readNot(reader: Reader): SubscriptionCondition {
  reader.depth += 1
  if (reader.depth > maxDepth) throw refusal(`$filter may nest ${maxDepth} deep.`)
  const condition = skip(reader, 'word', 'not') ? negated(reader) : readOperand(reader)
  reader.depth -= 1
  return condition
}

/**
 * `not` binds tighter than eq, so `not state eq 'x'` would negate a text: it needs parentheses, a call or another not.
 */
function negated(reader: Reader): SubscriptionCondition {
  const token = peek(reader)
  const negatable = token.text === '(' || token.text === 'not' || token.text === 'startswith'
  if (token.kind === 'text' || !negatable) throw unexpected(token, '( after not')
  return { kind: 'not', condition: readNot(reader) }
}

function readOperand(reader: Reader): SubscriptionCondition {
  if (skip(reader, 'mark', '(')) {
    const condition = readOr(reader)
    take(reader, 'mark', ')', ')')
    return condition
  }
  reader.comparisons += 1
  if (reader.comparisons > maxComparisons) throw refusal(`$filter may have ${maxComparisons} comparisons.`)
  return skip(reader, 'word', 'startswith') ? readStartsWith(reader) : readComparison(reader)
}

function readStartsWith(reader: Reader): SubscriptionCondition {
  take(reader, 'mark', '(', '(')
  const field = readField(reader)
  take(reader, 'mark', ',', ',')
  const value = take(reader, 'text', undefined, 'a text in single quotes').text
  take(reader, 'mark', ')', ')')
  return { kind: 'starts-with', field, value }
}

function readComparison(reader: Reader): SubscriptionCondition {
  const field = readField(reader)
  const token = take(reader, 'word', undefined, 'eq or ne')
  if (token.text !== 'eq' && token.text !== 'ne') throw unexpected(token, 'eq or ne')
  const value = take(reader, 'text', undefined, 'a text in single quotes').text
  return { kind: 'compare', field, operator: token.text, value }
}

function readField(reader: Reader): FilterField {
  const token = take(reader, 'word', undefined, 'state or displayName')
  if (token.text !== 'state' && token.text !== 'displayName') throw unexpected(token, 'state or displayName')
  return token.text
}

function peek(reader: Reader): Token {
  // The last token is always `end`, and nothing reads past it.
  return reader.tokens[reader.next] ?? { kind: 'end', text: '', at: 0 }
}

function skip(reader: Reader, kind: Token['kind'], text: string): boolean {
  const token = peek(reader)
  if (token.kind !== kind || token.text !== text) return false
  reader.next += 1
  return true
}

function take(reader: Reader, kind: Token['kind'], text: string | undefined, expected: string): Token {
  const token = peek(reader)
  if (token.kind !== kind || (text !== undefined && token.text !== text)) throw unexpected(token, expected)
  reader.next += 1
  return token
}

function tokenize(value: string): Token[] {
  const tokens: Token[] = []
  // One alternative always matches: the last takes any single character, which is then refused.
  for (const match of value.matchAll(/ +|([A-Za-z_][\w.]*)|([(),])|'((?:[^']|'')*)'|(.)/gs)) {
    const [, word, mark, text, stray] = match
    const at = match.index
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, at })
    else if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll("''", "'"), at })
    else if (stray !== undefined) throw unexpected({ kind: 'mark', text: stray, at }, 'a word, a text or a parenthesis')
  }
  return [...tokens, { kind: 'end', text: '', at: value.length }]
}

/** Says where, not what: the input is not echoed. */
function unexpected(token: Token, expected: string): ApiError {
  return refusal(`$filter: expected ${expected} at character ${token.at + 1}.`)
}

function refusal(message: string): ApiError {
  return new ApiError(400, 'InvalidFilter', message, { target: '$filter' })
}
