// Calls about webhooks: who learns what happens in a tenant, and has the secret by which a receiver believes it.

import { randomUUID } from 'node:crypto'
import { type Call, checkAuthority, type Maker, type Making, none, starts, type Verdict } from '../making.js'
import type { KnownWebhook } from '../snapshot.js'

const needs = 'Event.ReadWrite.All'
const chosen = [['*'], ['application.*'], ['user.signed-in', 'secret.*']]

const anAddress = () => `https://${randomUUID()}.example/hook`

function create(making: Making): Call {
  const { world, snapshot, actor, chance } = making
  const tenantId = chance.next() < 0.8 ? actor.tenantId : chance.pick(world.tenants)
  const verdict = checkAuthority(making, { permission: needs }, (authority) => {
    return tenantId === authority.tenantId || 'gone'
  })
  const body = { url: anAddress(), events: chance.pick(chosen), tenantId }
  const gives = (fact: string) => {
    const [what, first = '', id = ''] = fact.split(' ')
    if (what === 'webhook') return first === tenantId && !snapshot.webhooks.has(id)
    return what === 'webhook-secret' && !snapshot.webhooks.has(first)
  }
  return { method: 'POST', path: '/webhooks', body, verdict, gives }
}

/** More often one of the actor's tenant. */
function aWebhook({ snapshot, actor, chance }: Making): KnownWebhook | undefined {
  const all = [...snapshot.webhooks.values()]
  const near = chance.next() < 0.7 ? all.filter(({ home }) => home === actor.tenantId) : []
  return chance.pick(near.length > 0 ? near : all)
}

/** What everybody may who may this at all: of another tenant nothing is there. */
function about(making: Making, webhook: KnownWebhook | undefined): Verdict {
  return checkAuthority(making, { permission: needs }, (authority) => webhook?.home === authority.tenantId || 'gone')
}

function change(making: Making): Call {
  const webhook = aWebhook(making)
  const body = making.chance.pick<Record<string, unknown>>([
    { url: anAddress() },
    { events: making.chance.pick(chosen) },
    { enabled: false },
    { enabled: true },
  ])
  const gives = starts(`webhook ${webhook?.home} ${webhook?.webhookId} `)
  return { method: 'PATCH', path: pathOf(webhook), body, verdict: about(making, webhook), gives }
}

function remove(making: Making): Call {
  const webhook = aWebhook(making)
  return { method: 'DELETE', path: pathOf(webhook), verdict: about(making, webhook), gives: none }
}

/** The answer has the new secret, and the old one ends or goes on for a while. */
function rotate(making: Making): Call {
  const webhook = aWebhook(making)
  const body = { overlapSeconds: making.chance.pick([0, 60]) }
  const gives = starts(`webhook-secret ${webhook?.webhookId} `)
  return { method: 'POST', path: `${pathOf(webhook)}/secret`, body, verdict: about(making, webhook), gives }
}

/** All dead letters, or one delivery, once more. */
function again(making: Making): Call {
  const webhook = aWebhook(making)
  const delivery = making.chance.pick([...(webhook?.deliveries ?? [])])
  const isAll = delivery === undefined || making.chance.next() < 0.4
  const path = `${pathOf(webhook)}/${isAll ? 'replay' : `deliveries/${delivery}/redeliver`}`
  const gives = starts(`waiting ${webhook?.webhookId} ${isAll ? '' : delivery}`)
  return { method: 'POST', path, verdict: about(making, webhook), gives }
}

/** What events say is what the audit log says, so nobody else reads it. */
function read(making: Making): Call {
  const webhook = aWebhook(making)
  const delivery = making.chance.pick([...(webhook?.deliveries ?? [])]) ?? randomUUID()
  const isThere = webhook?.deliveries.has(delivery) === true
  const ends = making.chance.pick(['', '/backlog', '/deliveries', `/deliveries/${delivery}`, '/test'])
  const own = about(making, webhook)
  // A test is a call out of here, so those who may are not let.
  if (ends === '/test' && own !== 'may')
    return { method: 'POST', path: `${pathOf(webhook)}/test`, verdict: own, gives: none }
  const end = ends === '/test' ? '' : ends
  const verdict = own === 'may' && end.startsWith('/deliveries/') && !isThere ? 'gone' : own
  return { method: 'GET', path: pathOf(webhook) + end, verdict, gives: none }
}

const pathOf = (webhook: KnownWebhook | undefined): string => `/webhooks/${webhook?.webhookId ?? randomUUID()}`

export const webhookMakers: readonly Maker[] = [create, change, rotate, again, read, remove].map((make) => ({
  needs,
  make,
}))
