import t from 'tap'
import { newRequestId } from '../../src/http/requests/request-id.js'
import { newTraceparent, traceIdOf } from '../../src/http/requests/trace-context.js'

t.test('request-ids are random GUIDs of version 4, none of them twice', async (t) => {
  const ids = Array.from({ length: 5_000 }, newRequestId)
  t.equal(new Set(ids).size, ids.length)
  const isGuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  t.same(
    ids.filter((id) => !isGuid.test(id)),
    [],
  )
  // Each place that is not fixed has each digit.
  const places = Array.from({ length: 36 }, (_, i) => new Set(ids.map((id) => id[i])).size)
  t.same(new Set(places), new Set([16, 4, 1]))
})

t.test('a trace that begins here is named by the request-id', async (t) => {
  const id = '0199c2a4-1b2c-4d3e-8f40-0123456789ab'
  t.equal(newTraceparent(id), '00-0199c2a41b2c4d3e8f400123456789ab-8f400123456789ab-00')
  t.equal(traceIdOf({ headers: {} }, id), '0199c2a41b2c4d3e8f400123456789ab')
})
