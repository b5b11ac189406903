// Attacks that other gates fell for (corpus.txt), over raw sockets, at every kind of route, without a token and with
// tokens that are not enough. What the services behind the gate saw is the judge; where a proxy asks, the answer is.
// full: the whole corpus of attacks at every kind of route, a minute
// run: apart

import t from 'tap'
import { readCorpus } from '../support/models/attack-corpus.js'
import { attemptsOf, describe } from './attempts.js'
import { judge, judgeDescribed, judgeMessage } from './judge.js'
import { ask, questionsOf } from './questions.js'
import { type Counts, send } from './send.js'
import { type Target, targetsOf } from './targets.js'
import { openTestApp } from './test-app.js'

t.setTimeout(170_000)

const lanes = 48

t.test(
  'P1 P7 P12 P16–P20: no attack of the corpus reaches a service without its permission, or speaks in the gate’s name',
  async (t) => {
    const testApp = await openTestApp(t)
    const targets = targetsOf(testApp.tenants)
    const attacks = readCorpus()
    const attempts = attemptsOf(attacks, targets)
    const wrong = createBlame()
    const counts: Counts = { answers: new Map(), closed: 0 }
    const began = performance.now()
    await inLanes(attempts, async (attempt, number) => {
      wrong.blame(attempt.attack.title, await send(testApp, attempt, String(number), counts), describe(attempt))
    })
    const { received, whole, misread } = testApp.service
    let reached = 0
    for (const one of received) {
      const attempt = one.attempt.startsWith('probe-') ? undefined : attempts[Number(one.attempt)]
      if (attempt !== undefined) reached += 1
      const title = attempt?.attack.title ?? one.attempt
      wrong.blame(title, judge(testApp, one, attempt), attempt === undefined ? '' : describe(attempt))
    }
    for (const one of whole) {
      const attempt = attempts[Number(one.headers['x-attempt'])]
      wrong.blame(attempt?.attack.title ?? 'unasked', judgeDescribed(one) ?? judgeMessage(one), one.url)
    }
    t.comment(`${attacks.length} attacks, ${targets.length} kinds of routes, 6 credentials: ${attempts.length} sent`)
    t.comment(`${reached} reached a service, as they may; ${counts.closed} connections were closed`)
    t.comment(`answers: ${listed(counts.answers)}`)
    t.comment(`in ${Math.round(performance.now() - began)} ms`)
    t.same(wrong.found(), [], 'nothing is wrong')
    t.same(misread, [], 'no service got bytes that it could not read')
    t.same(testApp.errors.slice(0, 5), [], 'nothing was an error of ours')
    t.ok(reached > attempts.length / 50, 'some of it is harmless and passes, so the services were there')
    const met = new Set(received.map(({ url, attempt }) => `${attempts[Number(attempt)]?.target.what}: ${url}`))
    const wasMet = ({ what, path, arrives = path }: Target) => met.has(`${what}: ${arrives}`)
    t.same(
      targets.filter(wasMet).map(whatOf),
      targets.filter(({ isClosed }) => !isClosed).map(whatOf),
      'others are open',
    )

    await t.test('P19 P20 no question of a proxy about it is answered better', async (t) => {
      const wrong = createBlame()
      const answers = new Map<number, number>()
      const questions = questionsOf(attacks, testApp.tenants)
      received.length = 0
      await inLanes(questions, async (question) => {
        const { status, problem } = await ask(testApp, question)
        answers.set(status, (answers.get(status) ?? 0) + 1)
        wrong.blame(question.attack.title, problem, question.where)
      })
      t.comment(`${questions.length} questions; answers: ${listed(answers)}`)
      t.same(wrong.found(), [], 'nothing is wrong')
      t.same(received, [], 'no service was dialled')
      t.same(testApp.errors.slice(0, 5), [], 'nothing was an error of ours')
      t.ok((answers.get(200) ?? 0) > questions.length / 50, 'some of it is harmless and may go on')
    })
  },
)

const whatOf = ({ what }: Target): string => what

/** Each of them once, several at a time. */
async function inLanes<T>(all: readonly T[], work: (one: T, number: number) => Promise<void>): Promise<void> {
  const queue = all.entries()
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await work(next.value[1], next.value[0])
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** What was wrong, how often, and one place where. */
function createBlame() {
  const wrong = new Map<string, string[]>()
  return {
    blame(attack: string, problem: string | undefined, where: string): void {
      if (problem === undefined) return
      const key = `${attack}: ${problem}`
      wrong.set(key, [...(wrong.get(key) ?? []), where])
    },
    found: () => [...wrong].map(([what, places]) => `${what} (${places.length} times, such as ${places[0]})`),
  }
}

function listed(answers: ReadonlyMap<number, number>): string {
  const sorted = [...answers].sort(([one], [another]) => one - another)
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ')
}
