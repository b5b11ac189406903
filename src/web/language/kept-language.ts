// The language that a browser keeps for its person, in a cookie.

import type { FastifyReply } from 'fastify'
import { type Language, languageOfTag } from '../../languages/language.js'

const cookieName = '__Host-portcullis-language'
const lifetimeSeconds = 365 * 86_400
const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/', maxAge: lifetimeSeconds } as const
/** The language, and when it was chosen on a page, in epoch seconds; without a time the account says it. */
const written = /^([a-z]{2})(?:\.(\d{1,12}))?$/

/** Remembers in this browser what its person chose; `atMs` undefined: what their account says. Only on page routes. */
export function keepLanguage(reply: FastifyReply, language: Language, atMs: number | undefined): void {
  const value = atMs === undefined ? language : `${language}.${Math.floor(atMs / 1000)}`
  reply.setCookie(cookieName, value, attributes)
}

/** Leaves it to the browser again: the account of its person says none. Only on page routes. */
export function forgetLanguage(reply: FastifyReply): void {
  reply.clearCookie(cookieName, attributes)
}

/** What a request's cookies say, and when it was chosen on a page (0: by the account). It opens nothing and names nobody, so whatever it says is only a wish; of two the first counts. */
export function keptLanguage(header: string | undefined): { language: Language; atMs: number } | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
  const [, tag, seconds] = written.exec(value ?? '') ?? []
  const language = languageOfTag(tag)
  return language === undefined ? undefined : { language, atMs: Number(seconds ?? 0) * 1000 }
}
