// Spans of requests, sent to a collector that is a plain server here.
// run: apart

import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { requestContext } from '../../src/http/requests/request-context.js'
import { openTracing } from '../../src/http/tracing.js'
import { listening, proxied, testServer } from '../support/rooms/http-server.js'
import { rawRequest } from '../support/traffic/http-raw.js'

interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  status: { code?: number }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Writes down what is exported to it. */
async function collector(t: Test) {
  const spans: SentSpan[] = []
  const services: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes) => (body += String(bytes)))
    request.on('end', () => {
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        services.push(resource.attributes.find(({ key }: { key: string }) => key === 'service.name')?.value.stringValue)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      }
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const { port } = server.address() as { port: number }
  return { spans, services, endpoint: `http://127.0.0.1:${port}` }
}

/** The exporter itself reads the environment of the process. */
function withEndpoint(t: Test, endpoint: string) {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint
  t.teardown(() => delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'])
  return process.env
}

const missing = (message: string) => {
  throw new Error(message)
}

t.test('a request is a span: the child of its caller’s, with its route and no secret', async (t) => {
  const { spans, services, endpoint } = await collector(t)
  const tracing = await openTracing({ env: withEndpoint(t, endpoint), version: '1.2.3', onMissing: missing })
  const lines: string[] = []
  const app = testServer({
    tracing,
    accessLog: true,
    logger: { level: 'info', stream: { write: (line: string) => void lines.push(line) } },
  })
  app.get('/hello/:name', async (request) => {
    Object.assign(requestContext(request).entry, {
      operation: 'tools/call:find',
      permissions: ['desk.read', 'desk.find'],
    })
    return 'hello'
  })
  app.get('/broken', async () => {
    throw new Error('no')
  })
  t.teardown(() => app.close())
  const port = await listening(app)
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await rawRequest(
    { port },
    `GET /hello/joe?token=verysecret HTTP/1.1\r\n${proxied}Traceparent: 00-${trace}-b7ad6b7169203331-01\r\n\r\n`,
  )
  await rawRequest({ port }, `GET /broken HTTP/1.1\r\n${proxied}\r\n`)
  await rawRequest(
    { port },
    `GET /hello/unsampled HTTP/1.1\r\n${proxied}Traceparent: 00-${trace}-b7ad6b7169203331-00\r\n\r\n`,
  )
  await tracing?.stop()

  t.equal(spans.length, 2, 'the caller’s wish not to be sampled counts')
  const [hello, broken] = spans
  t.match(hello, { name: 'GET /hello/:name', traceId: trace, parentSpanId: 'b7ad6b7169203331', kind: 2 })
  const said = new Map(hello?.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
  t.equal(said.get('http.route'), '/hello/:name')
  t.equal(said.get('http.response.status_code'), 200)
  t.equal(said.get('url.path'), '/hello/joe')
  t.equal(said.get('portcullis.operation'), 'tools/call:find')
  t.equal(said.get('portcullis.permission'), 'desk.read desk.find')
  t.match(broken, { name: 'GET /broken', status: { code: 2 } })
  t.notOk(broken?.parentSpanId, 'a trace of its own')
  t.same(new Set(services), new Set(['portcullis']))
  t.notMatch(JSON.stringify(spans), /verysecret/)
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  t.same(
    logged.map(({ traceId }) => traceId),
    [trace, broken?.traceId, trace],
    'the log names the same traces',
  )
})

t.test('nothing is traced unless somebody says where to, and a collector that is away keeps nobody', async (t) => {
  t.equal(await openTracing({ env: {}, version: '1', onMissing: missing }), undefined)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }
  t.equal(await openTracing({ env, version: '1', onMissing: missing }), undefined)
  const away = await openTracing({ env: withEndpoint(t, 'http://127.0.0.1:1'), version: '1', onMissing: missing })
  const app = testServer({ tracing: away })
  app.get('/hello', async () => 'hello')
  t.teardown(() => app.close())
  const port = await listening(app)
  t.equal((await rawRequest({ port }, `GET /hello HTTP/1.1\r\n${proxied}\r\n`)).status, 200)
  const began = performance.now()
  await away?.stop()
  t.ok(performance.now() - began < 9_000)
})
