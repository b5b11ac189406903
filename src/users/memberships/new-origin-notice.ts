// Word to the administrators of a tenant that its applications send people to origins they did not send them to before
// (contract §8, decision 84). All that came since the last mail goes into one, once an hour at most.

import { languageOfTag } from '../../languages/language.js'
import { readAdministrators } from '../../storage/sql/people/memberships.js'
import {
  readUnannouncedOrigins,
  readUnannouncedTenants,
  setOriginsAnnounced,
} from '../../storage/sql/registrations/redirect-origins/unannounced-origins.js'
import { tenantInMail } from '../mail/mail-foot.js'
import { countMail } from '../mail/mail-limits.js'
import { mailsIn } from '../mail/mail-texts.js'
import { hostOf, sendMail } from '../mail/send-mail.js'
import { MailLimitReached } from '../refusal.js'
import type { UserWrites } from '../writes.js'

const mostTenants = 100
const mostAdministrators = 50

/**
 * One round of the leader's. Nothing where no mail server is configured. A tenant of which no administrator could be
 * reached is tried again an hour later; `onMailError` hears why. Throws StoreUnavailable.
 */
export async function notifyOfNewOrigins(deps: UserWrites): Promise<void> {
  if (deps.mail === undefined) return
  for (const tenantId of await readUnannouncedTenants(deps.store.reader, mostTenants)) await tellTenant(deps, tenantId)
}

async function tellTenant(deps: UserWrites, tenantId: string): Promise<void> {
  if (!(await isTimeFor(deps, tenantId))) return
  const unannounced = await readUnannouncedOrigins(deps.store.reader, tenantId)
  const administrators = await readAdministrators(deps.store.reader, tenantId, mostAdministrators)
  const { name } = await tenantInMail(deps, tenantId)
  const url = `${deps.baseUrl}/portal/redirect-origins?tenant=${tenantId}`
  let [reached, failed] = [0, 0]
  for (const { userId, email, language: tag } of administrators) {
    // Nobody needs to be told what they did themselves.
    const news = unannounced.filter((row) => row.added_by !== userId)
    if (news.length === 0) continue
    const applications = new Set(news.map((row) => row.application_id)).size
    const language = languageOfTag(tag)
    const text = mailsIn(deps, language).newOrigins(hostOf(deps), url, {
      name,
      origins: news.length,
      applications,
    })
    const sent = await sendMail(deps, { email, language, tenantId }, text).then(
      () => true,
      (error: unknown) => {
        deps.onMailError(error)
        return false
      },
    )
    if (sent) reached += 1
    else failed += 1
  }
  if (reached === 0 && failed > 0) return
  const until = Math.max(0, ...unannounced.map((row) => Number(row.added_at)))
  await deps.store.transaction((tx) => setOriginsAnnounced(tx, { tenantId, until, at: deps.now() }))
}

async function isTimeFor(deps: UserWrites, tenantId: string): Promise<boolean> {
  try {
    await countMail(deps, { kind: 'news', to: '', tenantId })
    return true
  } catch (error) {
    if (error instanceof MailLimitReached) return false
    throw error
  }
}
