// What the management of rules for tools takes and answers.

import { type Static, Type } from 'typebox'
import { mcpRules } from '../../config/settings/route-settings.js'

const strict = { additionalProperties: false }
const rule = Type.Enum([...mcpRules])

/** Tools that are not named keep what was said of them. */
export const toolRuleBody = Type.Object(
  {
    rules: Type.Array(
      Type.Object(
        {
          route: Type.String({ minLength: 1, maxLength: 2048 }),
          tool: Type.String({ minLength: 1, maxLength: 1024 }),
          rule,
        },
        strict,
      ),
      { minItems: 1, maxItems: 500 },
    ),
  },
  strict,
)
export type ToolRuleBody = Static<typeof toolRuleBody>

/** Every tool that the configuration names, in its order, then those of which the tenant says something still. */
export const toolRuleAnswer = Type.Object({
  tenantId: Type.String(),
  value: Type.Array(
    Type.Object({
      /** The id of the route. */
      route: Type.String(),
      tool: Type.String(),
      /** What it needs: of these lists one is enough. Empty: the configuration names the tool no more. */
      needs: Type.Array(Type.Array(Type.String())),
      /** The API of those permissions. */
      resource: Type.String(),
      /** What the tenant says. */
      rule,
      /** What the configuration says; calls are held against both. */
      floor: rule,
    }),
  ),
})
export type ToolRuleAnswer = Static<typeof toolRuleAnswer>
