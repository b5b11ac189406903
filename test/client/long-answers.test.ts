// What an issuer answers is read up to a bound only.

import t from 'tap'
import { ClientError, createClient } from '../../src/client/index.js'

t.test('identity L10: an answer without an end is not read to its end, and says so', async (t) => {
  let sent = 0
  let isCancelled = false
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
      cancel() {
        isCancelled = true
      },
    })
  const fetch: typeof globalThis.fetch = async () => new Response(endless(), { status: 200 })
  const client = createClient({ issuer: 'https://issuer.test', clientId: 'app', clientSecret: 'secret', fetch })
  const failed = await client
    .application()
    .token()
    .catch((error: unknown) => error)
  t.ok(failed instanceof ClientError)
  t.match(failed, { code: 'malformed_answer', message: /1048576 bytes/ })
  t.ok(sent < 4 * 1_048_576, `${sent} bytes`)
  t.ok(isCancelled)
})
