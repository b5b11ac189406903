// Reference for token issuance: a bare fastify route that compares a secret and signs with jose, ES256. Argument: port.

import { createHash, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import { generateKeyPair, SignJWT } from 'jose'

const app = Fastify()
const { privateKey } = await generateKeyPair('ES256')
const digest = (text: string) => createHash('sha256').update(text).digest()
const expected = digest('bench-secret')

app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(body as string))),
)
app.post<{ Body: Record<string, string> }>('/api/v2/oauth2/v2.0/token', async (request, reply) => {
  const { client_id: clientId = '', client_secret: secret = '', scope = '' } = request.body
  if (!timingSafeEqual(digest(secret), expected)) return reply.code(401).send({ error: 'invalid_client' })
  const now = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({ client_id: clientId, scope, roles: scope.split(' ') })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer('https://bench.test')
    .setAudience('https://bench.test/api/v2')
    .setSubject(clientId)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .setJti(crypto.randomUUID())
    .sign(privateKey)
  return reply.header('cache-control', 'no-store').send({ access_token: token, token_type: 'Bearer', expires_in: 3599 })
})
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
