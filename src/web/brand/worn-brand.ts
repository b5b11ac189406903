// Whose brand the answer to a request wears: said by whatever finds out to which tenant it belongs, so that refusals of a
// flow look like its pages.

import type { FastifyRequest } from 'fastify'
import type { Accents } from '../../branding/brand-stylesheet.js'
import type { BrandSettings } from '../../config/brand/brand-settings.js'
import { findTenantBrand, headingOf, type TenantBrand } from '../../directory/brands/tenant-brand.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import { readHomeTenant } from '../../storage/sql/registrations/brands/tenant-brands.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { brandOfServer, type PageBrand } from './page-brand.js'

/** The tenant, the one that registered an application, or the only one that a person belongs to; `server`: no tenant's. */
export type Whose = 'server' | { tenantId: string } | { applicationId: string } | { userId: string }

declare module 'fastify' {
  interface FastifyInstance {
    /** What the pages of the server look like, as the configuration says now. */
    serverBrand?: () => BrandSettings
  }
}

const worn = new WeakMap<FastifyRequest, PageBrand>()

/** The brand of the answer to this request: the server's unless somebody said otherwise. */
export function brandOf(request: FastifyRequest): PageBrand | undefined {
  const settings = request.server.serverBrand?.()
  return worn.get(request) ?? (settings && brandOfServer(settings))
}

/**
 * From now on the answer wears the brand of that tenant; of one that has none, or is switched off, the server's. Throws
 * StoreUnavailable.
 */
export async function wearBrand(
  reader: Statements,
  request: FastifyRequest,
  whose: Whose,
  baseUrl: string,
): Promise<void> {
  worn.delete(request)
  const tenantId = await tenantOf(reader, whose)
  if (tenantId === undefined) return
  const [tenant, brand] = await Promise.all([readTenant(reader, tenantId), findTenantBrand(reader, tenantId)])
  if (tenant?.state !== 'enabled' || brand === undefined) return
  const { name = 'Portcullis', accent, accentDark } = request.server.serverBrand?.() ?? {}
  const server = { name, host: new URL(baseUrl).host, accent, accentDark }
  const shown = pageBrand(tenant.name, brand, server)
  if (shown !== undefined) worn.set(request, shown)
}

/**
 * A brand as pages show it, in the colours of the server where it says none; undefined when it would pass for the
 * server's own.
 */
export function pageBrand(
  tenantName: string,
  brand: TenantBrand,
  { accent, accentDark, ...server }: Accents & { name: string; host: string },
): PageBrand | undefined {
  const name = headingOf(brand, tenantName, server.name)
  if (name === undefined) return undefined
  const said = (text: string) => (text === '' ? undefined : text)
  return {
    name,
    accent: said(brand.accent) ?? accent,
    accentDark: said(brand.accentDark) ?? accentDark,
    terms: said(brand.terms),
    privacy: said(brand.privacy),
    support: said(brand.support),
    logo: brand.logo,
    logoDark: brand.logoDark,
    server,
  }
}

async function tenantOf(reader: Statements, whose: Whose): Promise<string | undefined> {
  if (whose === 'server') return undefined
  if ('tenantId' in whose) return whose.tenantId
  if ('applicationId' in whose) return readHomeTenant(reader, whose.applicationId)
  const [only, another] = await readMemberships(reader, { userId: whose.userId })
  return another === undefined ? only?.tenant_id : undefined
}
