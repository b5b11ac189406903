// One write of each kind that people and the clients in their name cause, beside those of writes-of-every-kind.ts.

import { hashOpaqueToken } from '../../../src/oauth/secrets/opaque-token.js'
import type { FormBrowser } from '../../support/browser/form-browser.js'
import type { PlainAnswer } from '../../support/cluster/cluster-instance.js'
import { type MadeCode, redemption, type Tokens } from '../../support/rooms/delegation.js'
import { askForTokens, type Client, newClient, newCode, type Person } from './people.js'
import { type Attempt, auditOf, type WriteContext, writeOf } from './writes-of-every-kind.js'

export interface PeopleContext extends WriteContext {
  person: Person
  /** An administrator has consented to it for everybody. */
  client: Client
}

/** By name, as writeKinds. */
export const peopleWriteKinds: Readonly<Record<string, (context: PeopleContext) => Promise<Attempt>>> = {
  async user({ instance, query, tenantId, name }) {
    const email = `${name.toLowerCase().replace(/\W/g, '-')}@contoso.test`
    const answer = await instance.manage('POST', '/users', { email, name, tenantId, role: 'member' })
    const { userId } = answer.status === 201 ? JSON.parse(answer.body) : { userId: '' }
    return {
      answer,
      write: writeOf(query, `user ${name}`, `users where email_key = '${email}'`),
      audit: auditOf(query, 'user.created', `user_id = '${userId}'`),
    }
  },
  async code({ instance, query, person, client, name }) {
    const browser = person.at(instance)
    const made = await newCode(browser, client)
    return {
      answer: answerOf(made !== undefined, browser),
      write: writeOf(query, `code ${name}`, `authorization_codes where hash = '${hashOf(made?.code)}'`),
    }
  },
  async 'grant of a user'(context) {
    const { query, name } = context
    const { answer, tokens } = await redeemed(context)
    const grantId = grantOf(tokens)
    return {
      answer,
      write: writeOf(query, `grant ${name}`, `refresh_tokens where hash = '${hashOf(tokens.refresh_token)}'`),
      audit: auditOf(query, 'grant.redeemed', `details like '%${grantId}%'`),
    }
  },
  async 'refresh rotation'(context) {
    const { instance, query, client, name } = context
    const { answer, tokens } = await redeemed(context)
    if (answer.status !== 200) return { answer, write: writeOf(query, name, 'users where false') }
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...client.form }
    const next = await askForTokens(instance, form)
    return {
      answer: { ...answer, status: next.status === 0 ? 599 : next.status },
      write: writeOf(query, `rotation ${name}`, `refresh_tokens where hash = '${hashOf(next.json.refresh_token)}'`),
    }
  },
  async consent(context) {
    const { query, name } = context
    const { browser, applicationId, made } = await consented(context)
    return {
      answer: answerOf(made !== undefined, browser),
      write: writeOf(
        query,
        `consent ${name}`,
        `user_consents where ${isOf(applicationId)} and permission_id = 'User.Read'`,
      ),
      audit: auditOf(query, 'consent.granted', isOf(applicationId)),
    }
  },
  async 'withdrawn consent'(context) {
    const { query, name, tenantId } = context
    const { browser, applicationId, made } = await consented(context)
    if (made !== undefined) {
      await browser.open('/account/apps')
      await browser.submit({}, { form: `form-own-${applicationId}-${tenantId}` })
    }
    const isDone = made !== undefined && browser.page.body.includes('id="done"')
    const left = `(select count(*) as rows from user_consents where ${isOf(applicationId)}) as left_over where rows = 0`
    return {
      answer: answerOf(isDone, browser),
      write: writeOf(query, `withdrawal ${name}`, left),
      audit: auditOf(query, 'consent.withdrawn', isOf(applicationId)),
    }
  },
}

/** The grant of an access token. */
export function grantOf({ access_token }: Pick<Tokens, 'access_token'>): string {
  const claims = Buffer.from((access_token ?? '').split('.')[1] ?? '', 'base64url').toString()
  return claims === '' ? 'none' : String(JSON.parse(claims).gid)
}

function hashOf(secret: string | undefined): string {
  return hashOpaqueToken(secret ?? '')
}

async function consented({ instance, tenantId, person }: PeopleContext) {
  const client = await newClient(instance, tenantId, false)
  const browser = person.at(instance)
  const made: MadeCode | undefined = await newCode(browser, client)
  return { browser, made, applicationId: client.applicationId }
}

async function redeemed({ instance, person, client }: PeopleContext): Promise<{ answer: PlainAnswer; tokens: Tokens }> {
  const browser = person.at(instance)
  const made = await newCode(browser, client)
  if (made === undefined) return { answer: answerOf(false, browser), tokens: {} as Tokens }
  const { status, json } = await askForTokens(instance, redemption(made, client.form))
  return { answer: { status: status === 0 ? 599 : status, headers: {}, body: '' }, tokens: json }
}

/** What a page came to. */
function answerOf(isDone: boolean, { page }: FormBrowser): PlainAnswer {
  return { status: isDone ? 200 : Math.max(page.status, 400), headers: {}, body: page.body }
}

function isOf(applicationId: string): string {
  return `application_id = '${applicationId}'`
}
