// How a page leaves: rendered whole, never cached, with headers that say what it may not do (C4, U5): run inline code,
// be framed, load from elsewhere, send its forms anywhere but here and to the one place that the request was verified
// for.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { pageHeaders } from '../../http/answers/security-headers.js'
import type { Language } from '../../languages/language.js'
import { type PageBrand, Wearing } from '../brand/page-brand.js'
import { brandOf } from '../brand/worn-brand.js'
import { choosableAddress } from '../language/language-choice.js'
import { languageOf } from '../language/reader-language.js'
import { ReadIn } from '../language/texts.js'
import { submitOnceScript } from './submit-once.js'

export interface SendOptions {
  /**
   * Where the answer to this page's form may redirect to besides this origin: browsers hold a redirect after a POST to
   * form-action too. An origin such as `https://app.example`, or the scheme of a private-use redirect URI,
   * `com.example.app:`.
   */
  formAction?: readonly string[]
  /** False: the page has no form. */
  forms?: boolean
  /** Whether the page has scripts of this origin, beside the one that every page with a form or a time has. */
  script?: boolean
  /** Whether its scripts may send requests to this origin. */
  connect?: boolean
  /** Seconds that it may be kept, for pages that are the same for everybody. 0: never stored. */
  maxAgeSeconds?: number
  headers?: Readonly<Record<string, string>>
  /** The language of a page that there is in one only; the reader's when absent. */
  language?: Language
  /** False: the page has no links that choose a language, so nothing of its address is on it. */
  choosesLanguage?: boolean
}

const origin = /^(?:https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?:\d{1,5}|\*))?|[a-z][a-z0-9+.-]*:)$/i

/**
 * Sends a document. Throws TypeError for a `formAction` that is neither an origin nor a scheme: it could widen the
 * policy.
 */
export function sendPage(reply: FastifyReply, status: number, page: VNode, options: SendOptions = {}): FastifyReply {
  const { headers, body } = renderPage(page, options, reply.server.publicOrigin, {
    ...readingOf(reply.request, options),
    brand: brandOf(reply.request),
  })
  return reply.code(status).headers(headers).send(body)
}

/** The same document for an answer past Fastify. `publicOrigin` is where scripts are from. */
export function renderPage(
  page: VNode,
  options: SendOptions,
  publicOrigin: string,
  { brand, ...reading }: { language: Language; here: string | undefined; brand: PageBrand | undefined } = {
    language: 'en',
    here: undefined,
    brand: undefined,
  },
): { headers: Readonly<Record<string, string>>; body: string } {
  const { maxAgeSeconds = 0 } = options
  const { html, script } = guardForms(
    renderToString(
      <Wearing brand={brand}>
        <ReadIn reading={reading}>{page}</ReadIn>
      </Wearing>,
    ),
    options.script,
  )
  const headers = {
    ...pageHeaders(),
    'content-security-policy': policy({ ...options, script }, publicOrigin),
    'content-type': 'text/html; charset=utf-8',
    'content-language': reading.language,
    'x-frame-options': 'DENY',
    'permissions-policy':
      'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
    'cache-control': maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : 'no-store',
    ...(maxAgeSeconds > 0 ? {} : { pragma: 'no-cache' }),
    ...options.headers,
  }
  return { headers, body: `<!doctype html>\n${html}\n` }
}

/** Where the language can be chosen: on a page that its address shows, and that there is in more than one. */
function readingOf(request: FastifyRequest, { language, choosesLanguage = true }: SendOptions) {
  if (language !== undefined) return { language, here: undefined }
  if (!choosesLanguage) return { language: languageOf(request), here: undefined }
  return { language: languageOf(request), here: request.method === 'GET' ? choosableAddress(request) : undefined }
}

/**
 * A page with a form gets the script that sends it once, before other scripts; one with a time too, which it says in the
 * reader's zone. Text is escaped, so a tag is a tag.
 */
function guardForms(html: string, script = false): { html: string; script: boolean } {
  if (!/<(?:form|time) /.test(html)) return { html, script }
  const tag = `<script src="${submitOnceScript.path}" defer></script>`
  return { html: html.replace('<head>', `<head>${tag}`), script: true }
}

/** Scripts come from the folder of assets alone: below other paths of this origin stands what services answer. */
function policy(
  { formAction = [], forms = true, script = false, connect = false }: SendOptions,
  publicOrigin: string,
): string {
  for (const target of formAction) {
    if (!origin.test(target)) throw new TypeError('a form-action is an origin or a scheme')
  }
  const parts = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${forms ? ["'self'", ...formAction].join(' ') : "'none'"}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  if (script) parts.push(`script-src ${publicOrigin}/assets/`)
  if (connect) parts.push("connect-src 'self'")
  return parts.join('; ')
}
