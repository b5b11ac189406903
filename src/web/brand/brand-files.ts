// The files of brands: stylesheets, which are made from their own names, and logos. Each under a name made of its content,
// so that a browser keeps it for ever; an image that stands under no other type; nothing of who has it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stylesheetNamed } from '../../branding/brand-stylesheet.js'
import type { BrandSettings } from '../../config/brand/brand-settings.js'
import { requestContext } from '../../http/requests/request-context.js'
import { readLogo } from '../../storage/sql/registrations/brands/logos.js'
import type { Store } from '../../storage/sql/store.js'
import { refuseOtherMethods } from '../other-methods.js'
import { PageError } from '../pages/page-error.js'

interface Dependencies {
  store: Pick<Store, 'reader'>
  settings: { readonly brand: BrandSettings }
}

const logoName = /^[0-9a-f]{40}\.(?:png|jpg|webp)$/

/** Registers `GET /brand/{file}`. */
export function registerBrandFiles(scope: FastifyInstance, deps: Dependencies): void {
  const path = '/brand/:file'
  const name = async (request: FastifyRequest) => {
    requestContext(request).entry.route = 'brand'
  }
  scope.get<{ Params: { file: string } }>(path, { onRequest: name }, async (request, reply) => {
    const { file } = request.params
    const styles = stylesheetNamed(file)
    if (styles !== undefined) return send(reply, 'text/css; charset=utf-8', styles)
    const logo = logoName.test(file) ? await findLogo(deps, file) : undefined
    if (logo === undefined) throw nothing()
    return send(reply, logo.type, Buffer.from(logo.picture, 'base64'))
  })
  refuseOtherMethods(scope, path, 'brand', ['GET', 'HEAD'])
}

async function findLogo(
  { store, settings: { brand } }: Dependencies,
  file: string,
): Promise<{ type: string; picture: string } | undefined> {
  const own = [brand.logo, brand.logoDark].find((logo) => logo?.name === file)
  if (own !== undefined) return own
  const row = await readLogo(store.reader, file)
  return row && { type: row.media_type, picture: row.picture }
}

function nothing(): PageError {
  return new PageError({
    status: 404,
    title: 'Nothing here',
    what: 'No file of a brand stands at this address.',
    remedy: 'Open the page that led here again: it names the files that there are now.',
    reason: 'no_brand_file',
  })
}

function send(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply
    .header('content-type', type)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', 'public, max-age=31536000, immutable')
    .send(content)
}
