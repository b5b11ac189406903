// GET /api/v2/resourceGroups and GET /api/v2/resourceGroups/{id}. A group is only changed through its subscription.

import { requireCaller } from './caller.js'
import { answerJson } from './json.js'
import type { BackendContext, Handler } from './operations.js'
import { entityTag, isNotModified } from './preconditions.js'
import { nextLink } from './query/next-link.js'
import { readQueryOptions, readTop } from './query/options.js'
import { createSkipToken, readSkipToken, type SkipTokenScope } from './query/skip-token.js'
import { notFound, recordId } from './subscriptions/record.js'
import { groupBody } from './subscriptions/representation.js'

/** 200 with at most $top groups; Link rel="next" while there are more. */
export function listResourceGroups({ source, baseUrl, skipTokenKey }: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    const options = readQueryOptions(request.url, ['$top', '$skiptoken'])
    const top = readTop(options.$top)
    const scope: SkipTokenScope = { list: 'resourceGroups', tenantId, filter: undefined, orderBy: undefined }
    const { $skiptoken } = options
    const after = $skiptoken === undefined ? undefined : readSkipToken(skipTokenKey, scope, $skiptoken)

    const afterId = after === undefined ? undefined : String(after[0])
    const groups = await source.listResourceGroups(tenantId, { afterId, limit: top + 1 })
    const page = groups.slice(0, top)
    const last = page.at(-1)
    if (groups.length > top && last !== undefined) {
      const next = { ...options, $skiptoken: createSkipToken(skipTokenKey, scope, [last.id]) }
      reply.header('link', nextLink(`${baseUrl}/api/v2/resourceGroups`, next))
    }
    return answerJson(reply, 200, page.map(groupBody))
  }
}

/** 200 with the group and its ETag, 304 when If-None-Match names it, 404 for what this tenant does not have. */
export function readResourceGroup({ source }: BackendContext): Handler {
  return async (request, reply) => {
    const { tenantId } = requireCaller(request)
    readQueryOptions(request.url, [])
    const found = await source.findResourceGroup(tenantId, recordId(request))
    if (found === undefined) throw notFound()
    reply.header('etag', entityTag(found.version))
    if (isNotModified(request.headers, found.version)) return reply.code(304).send()
    return answerJson(reply, 200, groupBody(found.group))
  }
}
