// Every query of device codes, one after the other, with what each answered: the same on every engine.

import {
  findDeviceCode,
  insertDeviceCode,
  notePoll,
  redeemDeviceCode,
} from '../../src/storage/sql/grants/device-codes.js'
import { decideDeviceCode, findUserCode, pruneDeviceCodes } from '../../src/storage/sql/grants/device-decisions.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { answersOf, type Query, refusedByCode } from './answers.js'

/** Runs each query in a transaction of its own; their answers as JSON, refusals by their code. */
export function answersOfDeviceQueries(store: Store): Promise<string[]> {
  return answersOf(store, queries, refusedByCode)
}

const code = (name: string, expiresAt: number) => ({
  ...{ device_hash: `d-${name}`, user_code_hash: `u-${name}`, application_id: 'a1', body: '{}', state: 'pending' },
  ...{ user_id: null, grant_id: null, interval_seconds: 5, last_polled_at: 0, created_at: 0, expires_at: expiresAt },
})
const yes = { state: 'approved' as const, userId: 'anna', grantId: 'g1', now: 50 }
const no = { state: 'denied' as const, userId: 'anna', grantId: null, now: 50 }

const queries: readonly Query[] = [
  ...['a', 'b', 'c'].map((name, at) => (tx: Statements) => insertDeviceCode(tx, code(name, 100 + at))),
  (tx) => insertDeviceCode(tx, { ...code('d', 100), user_code_hash: 'u-a' }),
  (tx) => findDeviceCode(tx, 'd-a'),
  (tx) => findDeviceCode(tx, 'nobody'),
  (tx) => findUserCode(tx, ['u-nobody', 'u-b'], 50),
  (tx) => findUserCode(tx, ['u-b'], 101),
  (tx) => notePoll(tx, 'd-a', { at: 1_800_000_000_000, intervalSeconds: 10 }),
  (tx) => redeemDeviceCode(tx, 'd-a'),
  (tx) => decideDeviceCode(tx, 'd-a', { ...yes, now: 100 }),
  (tx) => decideDeviceCode(tx, 'd-a', yes),
  (tx) => decideDeviceCode(tx, 'd-a', no),
  (tx) => decideDeviceCode(tx, 'd-b', no),
  (tx) => decideDeviceCode(tx, 'nobody', yes),
  (tx) => findUserCode(tx, ['u-a'], 50),
  (tx) => redeemDeviceCode(tx, 'd-a'),
  (tx) => redeemDeviceCode(tx, 'd-a'),
  (tx) => redeemDeviceCode(tx, 'd-b'),
  (tx) => findDeviceCode(tx, 'd-a'),
  (tx) => pruneDeviceCodes(tx, 102, 1),
  (tx) => pruneDeviceCodes(tx, 102, 10),
  (tx) => findDeviceCode(tx, 'd-c'),
]
