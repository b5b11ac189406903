// What a sender hears of its request, in each form in which undici tells it (decision 0115): the same, so that a newer
// undici changes nothing here.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { Pool } from 'undici'
import {
  type HandlerForm,
  handlerOf,
  ownForm,
  type RawFields,
  type UpstreamEvents,
} from '../../../src/gateway/forward/upstream-events.js'
import type { Test } from '../../support/rooms/http-gate.js'

type Upstream = (socket: Socket) => void
type Override = Partial<UpstreamEvents>

/** Sends one request to `upstream`, and gives what was heard, in order. */
async function hear(
  t: Test,
  form: HandlerForm,
  upstream: Upstream,
  { upgrade = null, overrides }: { upgrade?: string | null; overrides?: (heard: string[]) => Override } = {},
): Promise<string[]> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => upstream(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new Pool(`http://127.0.0.1:${(server.address() as { port: number }).port}`, { connections: 1 })
  t.teardown(async () => {
    await pool.destroy()
    server.close()
  })
  const heard: string[] = []
  await new Promise<void>((resolve) => {
    const own = overrides?.(heard) ?? {}
    const finish = (word: string) => {
      heard.push(word)
      resolve()
    }
    const events: UpstreamEvents = {
      connected(abort) {
        heard.push('connected')
        own.connected?.(abort)
      },
      answering: () => void heard.push('answering'),
      head(status, fields, resume) {
        heard.push(`head ${status} ${texts(fields)}`)
        return own.head?.(status, fields, resume) ?? true
      },
      upgraded(status, fields, socket) {
        heard.push(`upgraded ${status} ${texts(fields)}`)
        own.upgraded?.(status, fields, socket)
        socket.destroy()
        resolve()
      },
      data(chunk) {
        heard.push(`data ${chunk}`)
        return own.data?.(chunk) ?? true
      },
      ended: (trailers) => finish(`ended ${texts(trailers ?? [])}`),
      failed: (error) => finish(`failed ${error.name === 'Error' ? error.message : error.name}`),
    }
    pool.dispatch({ method: 'GET', path: '/', upgrade }, handlerOf(events, form))
  })
  return heard
}

function texts(fields: RawFields): string {
  return fields.map(String).join(' ')
}

const says = (text: string) => (socket: Socket) => void socket.write(text)

const stories: {
  title: string
  upstream: Upstream
  upgrade?: string
  overrides?: (heard: string[]) => Override
  expected: string[]
}[] = [
  {
    title: 'an answer, its header fields as they came',
    upstream: says('HTTP/1.1 200 OK\r\nX-Twice: a\r\nx-twice: b\r\nContent-Length: 2\r\n\r\nhi'),
    expected: ['connected', 'answering', 'head 200 X-Twice a x-twice b Content-Length 2', 'data hi', 'ended '],
  },
  {
    title: 'interim answers before it',
    upstream: says('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    expected: ['connected', 'answering', 'head 103 Link </a>', 'answering', 'head 204 ', 'ended '],
  },
  {
    title: 'trailers',
    upstream: says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n'),
    expected: ['connected', 'answering', 'head 200 Transfer-Encoding chunked', 'data a', 'ended X-Sum 1'],
  },
  {
    title: 'another protocol',
    upgrade: 'websocket',
    upstream: says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    expected: ['connected', 'answering', 'upgraded 101 Connection Upgrade Upgrade websocket'],
  },
  {
    title: 'a body that waits until it is requested',
    upstream: says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'),
    overrides: (heard) => ({
      head(_status, _fields, resume) {
        setImmediate(() => {
          heard.push('resumed')
          resume()
        })
        return false
      },
    }),
    expected: ['connected', 'answering', 'head 200 Content-Length 2', 'resumed', 'data hi', 'ended '],
  },
  {
    title: 'a part of a body that waits for the part before',
    upstream: says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n'),
    overrides: (heard) => {
      let resume: () => void = () => undefined
      return {
        head(_status, _fields, more) {
          resume = more
          return true
        },
        data(chunk) {
          if (String(chunk) === 'b') return true
          setImmediate(() => {
            heard.push('resumed')
            resume()
          })
          return false
        },
      }
    },
    expected: ['connected', 'answering', 'head 200 Transfer-Encoding chunked', 'data a', 'resumed', 'data b', 'ended '],
  },
  {
    title: 'an end that the sender itself requested',
    upstream: says('HTTP/1.1 200 OK\r\n\r\n'),
    overrides: () => ({ connected: (abort) => abort(new Error('no longer wanted')) }),
    expected: ['connected', 'failed no longer wanted'],
  },
  {
    title: 'a head that the sender refuses',
    upstream: says('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    overrides: () => ({
      head() {
        throw new Error('refused')
      },
    }),
    expected: ['connected', 'answering', 'head 200 Content-Length 0', 'failed refused'],
  },
  {
    title: 'a connection that is lost in the middle',
    upstream: (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
    },
    expected: ['connected', 'answering', 'head 200 Content-Length 9', 'data half', 'failed SocketError'],
  },
  {
    title: 'what is no HTTP',
    upstream: says('SSH-2.0-x\r\n'),
    expected: ['connected', 'answering', 'failed HTTPParserError'],
  },
]

for (const form of ['raw', 'controlled'] as const) {
  for (const { title, upstream, expected, ...more } of stories) {
    t.test(`decision 0115, ${form}: ${title}`, async (t) => {
      t.same(await hear(t, form, upstream, more), expected)
    })
  }

  t.test(`decision 0115, ${form}: nobody there`, async (t) => {
    const pool = new Pool('http://nobody', { connect: { socketPath: join(t.testdir(), 'nobody') } })
    t.teardown(() => pool.destroy())
    const failure = new Promise<string | undefined>((resolve) => {
      const never = () => {
        throw new Error('nobody answered')
      }
      pool.dispatch(
        { method: 'GET', path: '/' },
        handlerOf(
          {
            connected: never,
            answering: never,
            head: never,
            upgraded: never,
            data: never,
            ended: never,
            failed: (error) => resolve((error as { code?: string }).code),
          },
          form,
        ),
      )
    })
    t.equal(await failure, 'ENOENT')
  })

  t.test(`decision 0115, ${form}: a request that failed is sent again with the same handler`, async (t) => {
    let requests = 0
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => {
        requests += 1
        if (requests === 1) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const pool = new Pool(`http://127.0.0.1:${(server.address() as { port: number }).port}`)
    t.teardown(async () => {
      await pool.destroy()
      server.close()
    })
    const heard: string[] = []
    await new Promise<void>((resolve) => {
      const handler = handlerOf(
        {
          connected: () => void heard.push('connected'),
          answering: () => undefined,
          head: (status) => heard.push(`head ${status}`) > 0,
          upgraded: () => undefined,
          data: (chunk) => heard.push(`data ${chunk}`) > 0,
          ended: () => resolve(),
          failed() {
            heard.push('failed')
            pool.dispatch({ method: 'GET', path: '/' }, handler)
          },
        },
        form,
      )
      pool.dispatch({ method: 'GET', path: '/' }, handler)
    })
    t.same(heard, ['connected', 'failed', 'connected', 'head 200', 'data hi'])
  })
}

t.test('decision 0115: with undici 7 the raw form is used, which costs less', async (t) => {
  t.equal(ownForm, 'raw')
})
