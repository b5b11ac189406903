// A token that another instance signed a moment ago is not refused for that; who invents key ids gains nothing.

import t from 'tap'
import { createRevalidation } from '../../src/access/revalidation.js'
import { isState, StateRefusal } from '../../src/access/state-refusal.js'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { UnknownKey } from '../../src/tokens/verify.js'
import { watchStalls } from '../support/traffic/stalls.js'

/** An instance that hears of `news` when it looks; `looks` counts. A look without end is one of infinite `lookMs`. */
function instance(options: { news?: string[]; seqAfter?: number; lookMs?: number; broken?: boolean } = {}) {
  const state = { looks: 0, keys: new Set(['old']), seq: 5, broken: options.broken ?? false }
  const look = createRevalidation({
    keyring: { knows: (kid) => state.keys.has(kid) },
    feed: {
      get seq() {
        return state.seq
      },
      async catchUp() {
        state.looks += 1
        const { lookMs = 1 } = options
        await new Promise((resolve) => lookMs < Number.POSITIVE_INFINITY && setTimeout(resolve, lookMs))
        if (state.broken) throw new Error('the Store does not answer')
        for (const kid of options.news ?? []) state.keys.add(kid)
        state.seq = options.seqAfter ?? state.seq
      },
    },
    monotonic: () => performance.now(),
  })
  return { state, look }
}

/** What `story` comes to on a machine that did not stand still: after a second nobody waits for a look any more. */
async function withoutStall<T>(story: () => Promise<T>): Promise<T> {
  for (;;) {
    const longestStall = watchStalls()
    // What stood still before it began would be taken off its timers.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setImmediate(resolve))
    const [ended] = await Promise.allSettled([story()])
    const stalledMs = longestStall()
    if (ended.status === 'fulfilled') return ended.value
    if (stalledMs < 100) throw ended.reason
  }
}

t.test('F23 an unknown key is looked for once, and the token is tried again when it is there', async (t) => {
  const outcome = await withoutStall(async () => {
    const { look, state } = instance({ news: ['new'] })
    return [await look.after(new UnknownKey('new')), state.looks]
  })
  t.same(outcome, [true, 1])
})

t.test('F24 a thousand invented key ids at once cost one look, and each of them only once', async (t) => {
  const invented = Array.from({ length: 1000 }, (_, i) => new UnknownKey(`invented-${i}`))
  const { look, state, answers } = await withoutStall(async () => {
    const made = instance()
    return { ...made, answers: await Promise.all(invented.map((error) => made.look.after(error))) }
  })
  t.equal(answers.filter(Boolean).length, 0)
  t.equal(state.looks, 1)
  for (const error of invented) t.equal(look.after(error), undefined, 'known to be absent: refused at once')
  t.equal(state.looks, 1)
})

t.test('F24 who comes during a look waits for the next one, which begins a tenth of a second later', async (t) => {
  const outcome = await withoutStall(async () => {
    const { look, state } = instance({ lookMs: 30 })
    const startedAt = performance.now()
    const first = look.after(new UnknownKey('a'))
    await new Promise((resolve) => setTimeout(resolve, 10))
    const early = state.looks
    const late = ['b', 'c', 'd'].map((kid) => look.after(new UnknownKey(kid)))
    const answers = await Promise.all([first, ...late])
    return { early, answers, looks: state.looks, tookMs: performance.now() - startedAt }
  })
  t.equal(outcome.early, 1)
  t.same(outcome.answers, [false, false, false, false], 'a key that came after the first look had begun would be found')
  t.equal(outcome.looks, 2)
  t.ok(outcome.tookMs >= 100)
})

t.test('a key that was removed, or serves another purpose, is refused without a look', async (t) => {
  const { look, state } = instance()
  t.equal(look.after(new UnknownKey('old')), undefined)
  t.equal(state.looks, 0)
})

t.test('a state that the issuer of the token knew better is looked at again; a revocation never is', async (t) => {
  const known = instance({ seqAfter: 9 })
  t.equal(isState('user_disabled'), true, 'a person may have been enabled by another instance')
  t.equal(known.look.after(new StateRefusal('application_disabled', 'x', 5)), undefined, 'this instance knows as much')
  t.equal(known.look.after(new BearerError('invalid_token', 'token_revoked', 'x')), undefined)
  t.equal(known.look.after(new BearerError('invalid_token', 'expired', 'x')), undefined)
  t.equal(known.state.looks, 0)
  const outcome = await withoutStall(async () => {
    const { look, state } = instance({ seqAfter: 9 })
    const answers = []
    for (const seq of [9, 12]) answers.push(await look.after(new StateRefusal('application_disabled', 'x', seq)))
    return { answers, looks: state.looks }
  })
  t.same(outcome.answers, [true, false], 'the look did not get further than 9')
  t.equal(outcome.looks, 2)
})

t.test('F9 when the look fails, or takes too long, nobody knows; the next one tries again', async (t) => {
  const found = await withoutStall(async () => {
    const { look, state } = instance({ broken: true, news: ['new'] })
    const failure = await look.after(new UnknownKey('new'))?.then(String, String)
    state.broken = false
    return [failure, await look.after(new UnknownKey('new'))]
  })
  t.same(found, ['Error: the Store does not answer', true], 'what could not be looked up is not remembered as absent')
  const slow = instance({ lookMs: Number.POSITIVE_INFINITY })
  const startedAt = performance.now()
  await t.rejects(async () => slow.look.after(new UnknownKey('new')), /took too long/)
  t.ok(performance.now() - startedAt < 15_000, 'nobody waits to its end')
})
