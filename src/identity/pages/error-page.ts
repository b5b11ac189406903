// The pages under /errors: what a number of ours means and how to mend it, for the developer who opened `error_uri`.
// Plain HTML without scripts; the texts are oauth/error-numbers.ts. Nothing of a request is ever shown.

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/request-context.js'
import { pageHeaders } from '../../http/security-headers.js'
import { type ErrorExplanation, explainError, explainedNumbers } from '../../oauth/error-numbers.js'
import { refuseOtherMethods } from '../form-endpoint.js'
import { stylesheet } from './stylesheet.js'

/** The name changes with the content, so that it may be kept for ever. */
const stylesheetPath = `/errors/${createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)}.css`

const htmlHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders("'self'"),
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cache-control': 'public, max-age=300',
}

/** Registers the index, one page for each number, and their stylesheet. */
export function registerErrorPages(scope: FastifyInstance): void {
  const name = async (request: FastifyRequest) => {
    requestContext(request).route = 'errors'
  }
  const index = indexPage(explainedNumbers().flatMap((number) => explainError(number) ?? []))
  const paths = ['/errors', '/errors/:number', stylesheetPath]
  scope.get('/errors', { onRequest: name }, async (_request, reply) => sendPage(reply, 200, index))
  scope.get<{ Params: { number: string } }>('/errors/:number', { onRequest: name }, async (request, reply) => {
    const { number } = request.params
    const explanation = /^[1-9]\d{4,6}$/.test(number) ? explainError(Number(number)) : undefined
    return explanation === undefined
      ? sendPage(reply, 404, unknownPage)
      : sendPage(reply, 200, explanationPage(explanation))
  })
  scope.get(stylesheetPath, { onRequest: name }, async (_request, reply) =>
    reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(stylesheet),
  )
  for (const path of paths) refuseOtherMethods(scope, path, 'errors', ['GET', 'HEAD'])
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).headers(htmlHeaders).send(html)
}

function explanationPage({ number, title, meaning, mend }: ErrorExplanation): string {
  return page(
    `${title} (${number})`,
    `<p class="number">Error ${number}</p>
<h1>${escapeHtml(title)}</h1>
<h2>What happened</h2>
<p id="meaning">${escapeHtml(meaning)}</p>
<h2>What to do</h2>
<p id="mend">${escapeHtml(mend)}</p>
<p><a href="/errors">All error numbers</a></p>`,
  )
}

function indexPage(explanations: readonly ErrorExplanation[]): string {
  const items = explanations.map(
    ({ number, title }) =>
      `<li><a href="/errors/${number}"><span class="number">${number}</span> ${escapeHtml(title)}</a></li>`,
  )
  return page('Error numbers', `<h1>Error numbers</h1>\n<ul id="numbers">\n${items.join('\n')}\n</ul>`)
}

const unknownPage = page(
  'Unknown error number',
  '<h1>Unknown error number</h1>\n<p>There is no error with this number here.</p>\n<p><a href="/errors">All error numbers</a></p>',
)

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Portcullis</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<main id="content">
${content}
</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
