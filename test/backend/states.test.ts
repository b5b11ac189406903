// State tables and preconditions as pure functions; what the operations make of them is in subscriptions.test.ts.

import fc from 'fast-check'
import t from 'tap'
import { checkPreconditions, entityTag, isNotModified } from '../../src/backend/preconditions.js'
import { checkSettled, type ProvisioningState, provisioningStates } from '../../src/backend/provisioning-states.js'
import {
  checkMove,
  checkWritable,
  type SubscriptionState,
  subscriptionStates,
} from '../../src/backend/subscription-states.js'

const states = Object.keys(subscriptionStates) as SubscriptionState[]
const provisioning = Object.keys(provisioningStates) as ProvisioningState[]

t.test('the states are those of the contract, and only writable ones can be written', async (t) => {
  t.same(states, ['Enabled', 'Warned', 'PastDue', 'Disabled', 'Expired', 'Deleted'])
  for (const state of ['Enabled', 'Warned', 'PastDue'] as const) t.equal(checkWritable(state), undefined, state)
  for (const state of ['Disabled', 'Expired', 'Deleted'] as const) {
    t.throws(() => checkWritable(state), { status: 409, code: 'SubscriptionReadOnly' }, state)
  }
})

t.test('every move outside the table is 409', async (t) => {
  const allowed = new Set(
    [
      'Enabled>Warned Enabled>PastDue Enabled>Disabled Enabled>Expired Enabled>Deleted',
      'Warned>Enabled Warned>PastDue Warned>Disabled Warned>Expired Warned>Deleted',
      'PastDue>Enabled PastDue>Warned PastDue>Disabled PastDue>Expired PastDue>Deleted',
      'Disabled>Enabled Disabled>Expired Disabled>Deleted',
      'Expired>Deleted',
    ].flatMap((line) => line.split(' ')),
  )
  for (const from of states) {
    for (const to of states) {
      const move = `${from}>${to}`
      if (allowed.has(move)) t.equal(checkMove(from, to), undefined, move)
      else t.throws(() => checkMove(from, to), { status: 409, code: 'StateTransitionRefused' }, `not ${move}`)
    }
  }
})

t.test('whatever the moves, a subscription never leaves Deleted, and Expired only for it', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...states), { maxLength: 30 }), (targets) => {
      let state: SubscriptionState = 'Enabled'
      for (const target of targets) {
        const before: SubscriptionState = state
        try {
          checkMove(before, target)
          state = target
        } catch {
          continue
        }
        if (before === 'Deleted' || (before === 'Expired' && state !== 'Deleted')) return false
      }
      return true
    }),
  )
  const ends = states.filter((state) => subscriptionStates[state].next.length === 0)
  t.same(ends, ['Deleted'], 'Deleted is the only end')
  for (const state of states.slice(0, -1))
    t.ok(subscriptionStates[state].next.includes('Deleted'), `${state} can be deleted`)
})

t.test('a resource group begins a new operation only when the last one has ended', async (t) => {
  t.same([...provisioning].sort(), ['Accepted', 'Canceled', 'Creating', 'Deleting', 'Failed', 'Succeeded', 'Updating'])
  const terminal = ['Succeeded', 'Failed', 'Canceled']
  for (const state of provisioning) {
    if (terminal.includes(state)) t.equal(checkSettled(state), undefined, state)
    else t.throws(() => checkSettled(state), { status: 409, code: 'OperationInProgress' }, state)
  }
  // Every operation can end: from each state a terminal one is reached.
  for (const state of provisioning) {
    const next = provisioningStates[state]
    t.ok(next.length === 0 ? terminal.includes(state) : next.some((target) => terminal.includes(target)), state)
  }
})

t.test('M5 If-Match is a strong comparison (RFC 9110 §13.1.1)', async (t) => {
  t.equal(entityTag(3), '"3"')
  for (const value of ['"3"', '*', '"1", "3"', '"1","3"', ' * ', '"a,b", "3"']) {
    t.equal(checkPreconditions({ 'if-match': value }, 3), undefined, value)
  }
  for (const value of ['"2"', 'W/"3"', '"33"', '"1", W/"3"']) {
    t.throws(() => checkPreconditions({ 'if-match': value }, 3), { status: 412, code: 'PreconditionFailed' }, value)
  }
  for (const value of ['', '3', '"3 "', '"3', "'3'", '"3";', '*, "3"', 'w/"3"', ',']) {
    t.throws(() => checkPreconditions({ 'if-match': value }, 3), { status: 400, code: 'InvalidHeader' }, value)
  }
})

t.test('M5 If-None-Match is a weak comparison: 304 for a read, 412 for a write (RFC 9110 §13.1.2)', async (t) => {
  t.equal(isNotModified({}, 3), false)
  for (const value of ['"3"', 'W/"3"', '*', '"1", W/"3"']) {
    t.ok(isNotModified({ 'if-none-match': value }, 3), value)
    t.throws(
      () => checkPreconditions({ 'if-none-match': value }, 3),
      { status: 412, code: 'PreconditionFailed' },
      value,
    )
  }
  for (const value of ['"2"', 'W/"33"']) {
    t.equal(isNotModified({ 'if-none-match': value }, 3), false, value)
    t.equal(checkPreconditions({ 'if-none-match': value }, 3), undefined, value)
  }
  t.throws(() => isNotModified({ 'if-none-match': '3' }, 3), { status: 400, code: 'InvalidHeader' })
})
