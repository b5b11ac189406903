// A token that another instance signed a moment ago is not refused for that; who invents key ids gains nothing.

import t from 'tap'
import { createSecondLook } from '../../src/access/second-look.js'
import { isState, StateRefusal } from '../../src/access/state-refusal.js'
import { BearerError } from '../../src/oauth/errors.js'
import { UnknownKey } from '../../src/tokens/verify.js'

/** An instance that hears of `news` when it looks; `looks` counts. */
function instance(options: { news?: string[]; seqAfter?: number; lookMs?: number; broken?: boolean } = {}) {
  const state = { looks: 0, keys: new Set(['old']), seq: 5, broken: options.broken ?? false }
  const look = createSecondLook({
    keyring: { knows: (kid) => state.keys.has(kid) },
    feed: {
      get seq() {
        return state.seq
      },
      async catchUp() {
        state.looks += 1
        await new Promise((resolve) => setTimeout(resolve, options.lookMs ?? 1))
        if (state.broken) throw new Error('the Store does not answer')
        for (const kid of options.news ?? []) state.keys.add(kid)
        state.seq = options.seqAfter ?? state.seq
      },
    },
    monotonic: () => performance.now(),
  })
  return { state, look }
}

t.test('F23 an unknown key is looked for once, and the token is tried again when it is there', async (t) => {
  const { look, state } = instance({ news: ['new'] })
  t.equal(await look.after(new UnknownKey('new')), true)
  t.equal(state.looks, 1)
})

t.test('F24 a thousand invented key ids at once cost one look, and each of them only once', async (t) => {
  const { look, state } = instance()
  const invented = Array.from({ length: 1000 }, (_, i) => new UnknownKey(`invented-${i}`))
  const answers = await Promise.all(invented.map((error) => look.after(error)))
  t.equal(answers.filter(Boolean).length, 0)
  t.equal(state.looks, 1)
  for (const error of invented) t.equal(look.after(error), undefined, 'known to be absent: refused at once')
  t.equal(state.looks, 1)
})

t.test('F24 who comes during a look waits for the next one, which begins a tenth of a second later', async (t) => {
  const { look, state } = instance({ lookMs: 30 })
  const startedAt = performance.now()
  const first = look.after(new UnknownKey('a'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal(state.looks, 1)
  const late = ['b', 'c', 'd'].map((kid) => look.after(new UnknownKey(kid)))
  t.equal(await first, false)
  t.same(
    await Promise.all(late),
    [false, false, false],
    'a key that came after the first look had begun would be found',
  )
  t.equal(state.looks, 2)
  t.ok(performance.now() - startedAt >= 100)
})

t.test('a key that was removed, or serves another purpose, is refused without a look', async (t) => {
  const { look, state } = instance()
  t.equal(look.after(new UnknownKey('old')), undefined)
  t.equal(state.looks, 0)
})

t.test('a state that the issuer of the token knew better is looked at again; a revocation never is', async (t) => {
  const { look, state } = instance({ seqAfter: 9 })
  t.equal(isState('user_disabled'), true, 'a person may have been enabled by another instance')
  t.equal(look.after(new StateRefusal('application_disabled', 'x', 5)), undefined, 'this instance knows as much')
  t.equal(look.after(new BearerError('invalid_token', 'token_revoked', 'x')), undefined)
  t.equal(look.after(new BearerError('invalid_token', 'expired', 'x')), undefined)
  t.equal(await look.after(new StateRefusal('application_disabled', 'x', 9)), true)
  t.equal(await look.after(new StateRefusal('application_disabled', 'x', 12)), false, 'the look did not get that far')
  t.equal(state.looks, 2)
})

t.test('F9 when the look fails, or takes too long, nobody knows; the next one tries again', async (t) => {
  const { look, state } = instance({ broken: true, news: ['new'] })
  await t.rejects(async () => look.after(new UnknownKey('new')), /does not answer/)
  state.broken = false
  t.equal(await look.after(new UnknownKey('new')), true, 'what could not be looked up is not remembered as absent')
  const slow = instance({ lookMs: 1_500 })
  const startedAt = performance.now()
  await t.rejects(async () => slow.look.after(new UnknownKey('new')), /took too long/)
  t.ok(performance.now() - startedAt < 1_400)
})
