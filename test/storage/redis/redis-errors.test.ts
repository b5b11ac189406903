// What is kept of an error of the Redis library: a reason from a short list, and never its words.

import t from 'tap'
import { RedisUnavailable, unavailable } from '../../../src/storage/redis/redis-errors.js'

t.test('of an error only its code or first word is kept, and a time-out is one in whatever words', async (t) => {
  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' })
  const cases: [string, unknown, string][] = [
    ['a refused connection', Object.assign(new Error('hunter2'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['a connection that is not made in time', Object.assign(new Error('hunter2'), { code: 'ETIMEDOUT' }), 'TIMEOUT'],
    ['a command without an answer', new Error('Command timed out'), 'TIMEOUT'],
    ['a reply', reply('WRONGPASS hunter2'), 'WRONGPASS'],
    ['a reply of other words', reply('hunter2 is wrong'), 'an error reply'],
    ['a code that is none', Object.assign(new Error('hunter2'), { code: 'hunter2' }), 'CLOSED'],
    ['a connection that ended', new Error('Connection is closed. hunter2'), 'CLOSED'],
    ['no error at all', 'hunter2', 'an unknown error'],
  ]
  for (const [title, error, reason] of cases) {
    const reported = unavailable(error)
    t.equal(reported.reason, reason, title)
    t.notMatch(reported.message, /hunter2/, title)
  }
  t.match(unavailable(new Error('Command timed out')).message, /it did not answer in time/)
  const known = new RedisUnavailable('OOM')
  t.equal(unavailable(known), known, 'wrapped once')
})
