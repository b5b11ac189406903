// /downloads: packages that need no registry. Public, the same for everybody, and nothing but what downloads.ts lists:
// a name from a request is compared with theirs and never becomes a path.
//
//   GET /downloads                    the list: a page for browsers, JSON for everybody else
//   GET /downloads/<file>             the tarball, to be requested again each time (ETag)
//   GET /downloads/<sha256>/<file>    the same bytes for ever
//   GET /downloads/development-ca.pem what signs this server's own certificate, in development (decision 107)

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/answers/api-error.js'
import { noteAddress } from '../http/requests/addresses.js'
import { isCurrent } from '../http/requests/if-none-match.js'
import { requestContext } from '../http/requests/request-context.js'
import type { DevelopmentAuthority } from '../http/tls/development-ca.js'
import { Page } from '../web/pages/layout.js'
import { sendPage } from '../web/pages/send-page.js'
import { authorityPath, authorityUrl } from './authority.js'
import type { Download, Downloads } from './downloads.js'
import { DownloadsPage } from './downloads-page.js'

interface FileParams {
  Params: { digest?: string; file: string }
}

const forEver = 'public, max-age=31536000, immutable'
const askAgain = 'public, no-cache'
const paths = ['/downloads', '/downloads/:file', '/downloads/:digest/:file', authorityPath] as const

export interface DownloadOptions {
  /** Where this server is reached. */
  baseUrl: string
  /** Of the server's own, where it signs its certificate. */
  authority: DevelopmentAuthority | undefined
}

/** The plugin. The scope must have the guard per address. */
export function downloadRoutes(downloads: Downloads, options: DownloadOptions): FastifyPluginAsync {
  return async (scope) => {
    const [list, file, fixed] = paths
    scope.get(list, { onRequest: nameRoute }, async (request, reply) =>
      sendList(request, reply, await downloads.list(), options),
    )
    for (const path of [file, fixed]) {
      scope.get<FileParams>(path, { onRequest: nameRoute }, async (request, reply) =>
        sendFile(request, reply, await downloads.list()),
      )
    }
    scope.get(authorityPath, { onRequest: nameRoute }, async (request, reply) =>
      sendAuthority(request, reply, options.authority),
    )
    for (const path of paths) refuseOthers(scope, path)
  }
}

async function nameRoute(request: FastifyRequest): Promise<void> {
  requestContext(request).entry.route = 'downloads'
}

function sendList(
  request: FastifyRequest,
  reply: FastifyReply,
  list: readonly Download[],
  { baseUrl, authority }: DownloadOptions,
): FastifyReply {
  reply.header('vary', 'accept')
  if (wantsPage(request)) {
    const page = <DownloadsPage downloads={list} baseUrl={baseUrl} authority={authority} />
    return sendPage(reply, 200, page, { forms: false, headers: { 'cache-control': askAgain } })
  }
  const value = list.map(({ name, version, file, bytes, integrity, digest }) => ({
    name,
    version,
    url: `${baseUrl}/downloads/${file}`,
    immutableUrl: `${baseUrl}/downloads/${digest}/${file}`,
    size: bytes.length,
    integrity,
  }))
  const trust =
    authority === undefined
      ? {}
      : { developmentAuthority: { url: authorityUrl(baseUrl), fingerprint: authority.fingerprint } }
  const body = Buffer.from(JSON.stringify({ value, ...trust }))
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  reply.headers({ etag, 'cache-control': askAgain, 'x-content-type-options': 'nosniff' })
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', 'application/json').send(body)
}

function sendFile(request: FastifyRequest<FileParams>, reply: FastifyReply, list: readonly Download[]): FastifyReply {
  const { file, digest } = request.params
  const found = list.find((download) => download.file === file && (digest === undefined || download.digest === digest))
  if (found === undefined) {
    if (!wantsPage(request)) throw notHere(list)
    reply.header('vary', 'accept')
    return sendPage(reply, 404, <PackageMissing list={list} />, { forms: false })
  }
  const etag = `"${found.integrity}"`
  reply.headers({
    etag,
    'cache-control': digest === undefined ? askAgain : forEver,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply
    .headers({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${found.file}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(found.bytes)
}

function wantsPage(request: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(request.headers.accept ?? '')
}

/** Certificates are public; a real one's authority is known to everybody already. */
function sendAuthority(
  request: FastifyRequest,
  reply: FastifyReply,
  authority: DevelopmentAuthority | undefined,
): FastifyReply {
  if (authority === undefined) {
    const message =
      'This server has no certificate authority of its own. Clients trust its certificate as they do any other.'
    throw new ApiError(404, 'NotFound', message, { headers: { 'cache-control': 'no-store' } })
  }
  const etag = `"${authority.fingerprint.replaceAll(':', '')}"`
  reply.headers({ etag, 'cache-control': askAgain, 'x-content-type-options': 'nosniff' })
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply
    .headers({
      'content-type': 'application/x-pem-file',
      'content-disposition': 'attachment; filename="ca.pem"',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(authority.pem)
}

function notHere(list: readonly Download[]): ApiError {
  return new ApiError(404, 'NotFound', whatIsHere(list), { headers: { 'cache-control': 'no-store' } })
}

function whatIsHere(list: readonly Download[]): string {
  const here = list.map(({ file }) => `/downloads/${file}`).join(' and ')
  return here === ''
    ? 'This server runs from source without a build, so there is nothing to download: npm run build makes the client.'
    : `This server does not have that package. It has ${here}.`
}

function PackageMissing({ list }: { list: readonly Download[] }) {
  return (
    <Page title="This package is not here" home="/portal">
      <div class="card" id="error">
        <p id="what">{whatIsHere(list)}</p>
        <p>
          <a class="button" id="go-on" href="/downloads">
            Go to the downloads
          </a>
        </p>
      </div>
    </Page>
  )
}

function refuseOthers(scope: FastifyInstance, url: string): void {
  noteAddress(scope, url, {
    refuses: (method) => method !== 'GET' && method !== 'HEAD',
    refuse(request) {
      requestContext(request).entry.route = 'downloads'
      throw new ApiError(405, 'MethodNotAllowed', 'This address answers GET, HEAD only.', {
        headers: { allow: 'GET, HEAD' },
      })
    },
  })
}
