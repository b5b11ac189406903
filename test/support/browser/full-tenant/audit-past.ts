// The audit log of the time behind: the events that registering wrote, retold over a month, and what people did.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createLedger } from '../../../../src/ledger/chain.js'
import type { LedgerEvent } from '../../../../src/ledger/ledger.js'
import { createLedgerKeys } from '../../../../src/ledger/ledger-keys.js'
import type { Statements, Store } from '../../../../src/storage/sql/store.js'

const dayMs = 86_400_000
const daily = ['user.signed-in', 'user.signed-in', 'user.signed-out', 'user.signed-in'] as const

interface Past {
  at: number
  event: LedgerEvent
}

/**
 * Writes the log again, by the keys of the server, so that its chain stays whole: what it has, over the last thirty
 * days, and sign-ins of the last two until there are `events`.
 */
export async function retellAudit(
  store: Store,
  { folder, people, events }: { folder: string; people: readonly string[]; events: number },
): Promise<void> {
  const key = readFileSync(join(folder, 'keys', 'development-master.key'), 'utf8').trim()
  // What was sealed before is of a log that there is no more.
  for (const end of ['', '.head']) rmSync(join(folder, `ledger-checkpoints.jsonl${end}`), { force: true })
  const rows = await store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  const now = Date.now()
  const old = rows.map((row, index): Past => {
    const at = now - 30 * dayMs + Math.floor((index * 29.5 * dayMs) / rows.length)
    return { at, event: eventOf(row) }
  })
  const count = Math.max(400, events - old.length)
  const lately = Array.from({ length: count }, (_, index): Past => {
    const at = now - 2 * dayMs + Math.floor((index * 2 * dayMs) / count)
    return { at, event: signIn(people[(index * 7) % people.length] ?? '', index) }
  })
  const whole = [...old, ...lately].sort((one, other) => one.at - other.at)
  let at = 0
  const ledger = createLedger({ keys: createLedgerKeys([Buffer.from(key, 'base64url')]), now: () => at })
  await store.transaction(async (tx) => {
    await forget(tx)
    for (const each of whole) {
      at = each.at
      await ledger.append(tx, each.event)
    }
    await tx.updateTable('event_cursor').set({ position: whole.length }).execute()
    await tx.updateTable('notice_cursor').set({ position: whole.length }).execute()
  })
}

async function forget(tx: Statements): Promise<void> {
  await tx.deleteFrom('ledger_members').execute()
  await tx.deleteFrom('ledger').execute()
  await tx.updateTable('ledger_head').set({ position: 0, mac: '' }).execute()
}

function eventOf(row: Record<string, unknown>): LedgerEvent {
  const text = (name: string) => (row[name] === null ? undefined : String(row[name]))
  return {
    ...{ event: String(row['event']) as LedgerEvent['event'], actor: JSON.parse(String(row['actor'])) },
    ...{ tenantId: text('tenant_id'), applicationId: text('application_id'), userId: text('user_id') },
    ...{ requestId: text('request_id'), address: text('address'), details: JSON.parse(String(row['details'])) },
  }
}

function signIn(userId: string, index: number): LedgerEvent {
  const event = daily[index % daily.length] ?? daily[0]
  const amr = index % 3 === 0 ? ['pwd', 'otp', 'mfa'] : ['pwd']
  const session = `browser-${index % 90}`
  return {
    ...{ event, actor: { kind: 'user', userId }, userId, address: `198.51.100.${index % 250}` },
    details: event === 'user.signed-in' ? { acr: '1', amr, session } : { session },
  }
}
