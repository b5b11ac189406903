// Reference A1: bare fastify + @fastify/http-proxy, no authentication, logger off. Arguments: port, upstream port.

import proxy from '@fastify/http-proxy'
import Fastify from 'fastify'

const [port, upstreamPort] = process.argv.slice(2).map(Number)
const app = Fastify()
await app.register(proxy, { upstream: `http://127.0.0.1:${upstreamPort}`, prefix: '/api/v2', rewritePrefix: '/api/v2' })
await app.listen({ host: '127.0.0.1', port: port as number })
