// Conditional requests (RFC 9110 §13) on the version of a record. An entity tag is the version in quotes: strong,
// because a record has one representation and each change counts the version up.

import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../http/answers/api-error.js'

/** The entity tag of a version. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/**
 * Throws ApiError 412 when If-Match or If-None-Match forbids to change a record that is at `version`, and 400 when one
 * of them cannot be read: ignoring it could overwrite what the caller wanted to protect. Ask it last (RFC 9110
 * §13.2.1).
 */
export function checkPreconditions(headers: IncomingHttpHeaders, version: number): void {
  const match = headers['if-match']
  // Strong comparison (RFC 9110 §13.1.1): a weak tag never matches.
  if (match !== undefined && !names(readTags('If-Match', match), entityTag(version))) throw failed('If-Match')
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined && isNamed(noneMatch, version)) throw failed('If-None-Match')
}

/** Whether a GET may be answered 304, because the caller has this version (weak comparison, RFC 9110 §13.1.2). */
export function isNotModified(headers: IncomingHttpHeaders, version: number): boolean {
  const noneMatch = headers['if-none-match']
  return noneMatch !== undefined && isNamed(noneMatch, version)
}

function isNamed(noneMatch: string, version: number): boolean {
  const tags = readTags('If-None-Match', noneMatch)
  return names(tags === '*' ? tags : tags.map((tag) => tag.replace(/^W\//, '')), entityTag(version))
}

function names(tags: '*' | readonly string[], tag: string): boolean {
  return tags === '*' || tags.includes(tag)
}

function readTags(name: string, value: string): '*' | string[] {
  if (value.trim() === '*') return '*'
  const tags: string[] = []
  for (const [, tag, stray] of value.matchAll(/[ \t,]+|((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")|(.)/gs)) {
    if (stray !== undefined) throw malformed(name)
    if (tag !== undefined) tags.push(tag)
  }
  if (tags.length === 0) throw malformed(name)
  return tags
}

function malformed(name: string): ApiError {
  return new ApiError(400, 'InvalidHeader', `${name} must be * or a list of entity tags.`, { target: name })
}

function failed(name: string): ApiError {
  return new ApiError(412, 'PreconditionFailed', 'The record is not at the version that the request names.', {
    target: name,
  })
}
