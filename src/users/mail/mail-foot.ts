// The end of every mail: whose server it is from, and where it is about an organisation, which one, with the addresses
// that it gives itself. A mail is read as the server's word, so what a tenant says is named as the tenant's, and only
// what can be nothing but a name or an address is said at all (decision 125).

import { findTenantBrand, headingOf } from '../../directory/brands/tenant-brand.js'
import type { Language } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { UserWrites } from '../writes.js'
import { type MailText, nameInMail } from './mail-texts.js'

/** What a mail is about: an organisation, by its identifier; undefined: an account. */
export interface MailAbout {
  tenantId?: string | null | undefined
  language?: Language | null | undefined
}

/** How an organisation is called in mails, and where its pages are; undefined where it is said by nothing in them. */
export interface TenantInMail {
  name: string | undefined
  terms: string | undefined
  privacy: string | undefined
  support: string | undefined
}

const links = ['terms', 'privacy', 'support'] as const
const nobody: TenantInMail = { name: undefined, terms: undefined, privacy: undefined, support: undefined }

/**
 * The organisation as mails may say it: by the name of its brand, else its own, as its pages are headed; by neither that
 * looks like this server's now. Of one that is switched off nothing but its own name. Throws StoreUnavailable.
 */
export async function tenantInMail(deps: UserWrites, tenantId: string | null | undefined): Promise<TenantInMail> {
  if (tenantId === undefined || tenantId === null) return nobody
  const { reader } = deps.store
  const [tenant, brand] = await Promise.all([readTenant(reader, tenantId), findTenantBrand(reader, tenantId)])
  const server = deps.serverBrand.current().name
  const own = tenant && headingOf({ name: '' }, tenant.name, server)
  const heading = tenant && headingOf({ name: brand?.name ?? '' }, tenant.name, server)
  const name = nameInMail(own)
  if (brand === undefined || heading === undefined || tenant?.state !== 'enabled') return { ...nobody, name }
  const { host } = new URL(deps.baseUrl)
  return {
    name: nameInMail(heading) ?? name,
    terms: linkInMail(brand.terms, host),
    privacy: linkInMail(brand.privacy, host),
    support: linkInMail(brand.support, host),
  }
}

/** The mail with its end, in the language of its reader. Throws StoreUnavailable. */
export async function withFoot(deps: UserWrites, { subject, text }: MailText, about: MailAbout): Promise<MailText> {
  const { mails, frame } = textsIn(about.language ?? deps.settings.language)
  const { foot } = mails
  const server = deps.serverBrand.current()
  const tenant = await tenantInMail(deps, about.tenantId)
  const from = foot.from(server.name, new URL(deps.baseUrl).host)
  const own = links.some((link) => tenant[link] !== undefined)
  const given = own ? tenant : about.tenantId ? nobody : server
  const lines = [
    tenant.name === undefined ? from : foot.both(from, foot.about(tenant.name)),
    ...(own ? [foot.itsAddresses] : []),
    ...links.flatMap((link) => (given[link] === undefined ? [] : [foot.address(frame[link], given[link])])),
  ]
  return { subject, text: `${text}\n--\n${lines.join('\n')}\n` }
}

const longestLink = 120
const mostOfHost = 60
/** In an address these pass for ours, or for an instruction. */
const imitating = /portcullis|passw|log-?in|sign-?in|account|konto|verif|unlock|urgent|invoice|payment/i

/**
 * An address of an organisation as a mail may say it; undefined for one that says more than where it is, or that passes
 * for this server's. What is kept was checked and written anew (`linkProblem`), so it is one line of ASCII.
 */
export function linkInMail(text: string, ownHost: string): string | undefined {
  if (text === '' || text.length > longestLink || !/^(?:https:\/\/|mailto:)[a-z0-9/:._~@+-]+$/i.test(text))
    return undefined
  const { hostname } = new URL(text.replace(/^mailto:[^@]*@/i, 'https://'))
  if (hostname.length > mostOfHost || hostname.includes('xn--')) return undefined
  const own = ownHost.replace(/:\d+$/, '')
  if (hostname !== own && hostname.includes(own)) return undefined
  return imitating.test(text) && hostname !== own ? undefined : text
}
