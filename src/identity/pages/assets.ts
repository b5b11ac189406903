// The files that pages load: the stylesheet, the mark as an icon, and the scripts of the few pages that have one. Each under
// a name made of its content, so that a browser may keep it for ever and never has yesterday's.

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/request-context.js'
import { refuseOtherMethods } from '../form-endpoint.js'
import { markSvg } from './mark.js'
import { stylesheet } from './stylesheet.js'

interface Asset {
  path: string
  type: string
  content: string
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const

/** What every page names in its head. */
export const pageAssets = {
  stylesheet: asset('css', stylesheet),
  icon: asset('svg', markSvg),
}

/** An asset of that content: its path is `/assets/<hash>.<ending>`. */
export function asset(ending: keyof typeof types, content: string): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 20)
  return { path: `/assets/${hash}.${ending}`, type: types[ending], content }
}

/** Registers those of every page, and `more`. */
export function registerAssets(scope: FastifyInstance, more: readonly Asset[] = []): void {
  const name = async (request: FastifyRequest) => {
    requestContext(request).route = 'assets'
  }
  for (const { path, type, content } of [...Object.values(pageAssets), ...more]) {
    scope.get(path, { onRequest: name }, async (_request, reply) =>
      reply
        .header('content-type', type)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'same-origin')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(content),
    )
    refuseOtherMethods(scope, path, 'assets', ['GET', 'HEAD'])
  }
}
