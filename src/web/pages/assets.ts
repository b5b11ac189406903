// The files that pages load: the stylesheet, the mark as an icon, and the scripts. Each under
// a name made of its content, so that a browser may keep it for ever and never has yesterday's.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { refuseOtherMethods } from '../other-methods.js'
import { type Asset, asset } from './asset.js'
import { markSvg } from './mark.js'
import { stylesheet } from './stylesheet.js'

/** What every page names in its head. */
export const pageAssets = {
  stylesheet: asset('css', stylesheet),
  icon: asset('svg', markSvg),
}

/** Registers these. */
export function registerAssets(scope: FastifyInstance, assets: readonly Asset[]): void {
  const name = async (request: FastifyRequest) => {
    requestContext(request).entry.route = 'assets'
  }
  for (const { path, type, content } of assets) {
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
