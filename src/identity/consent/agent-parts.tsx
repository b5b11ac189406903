// What the pages about consent say of agents: the tools that permissions open, and for how long an agent may act.

import type { VNode } from 'preact'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'
import type { AgentTool } from './agent-tools.js'

/** Longer lists are folded. */
const mostOpen = 8

/** The tools, each with what its server says of it, as a quotation. */
export function Tools({ tools }: { tools: readonly AgentTool[] }): VNode {
  const { agent } = useTexts().consent
  const list = (
    <ul class="permissions" id="tools">
      {tools.map(({ id, tool, permissions, needsApproval, needsFactor, says }) => (
        <li key={id}>
          <p>
            <code>{displayName(tool)}</code> {needsFactor ? <span class="tag">{agent.secondFactor}</span> : null}{' '}
            {needsApproval ? <span class="tag">{agent.approval}</span> : null}
          </p>
          {says === '' ? null : (
            <p class="fine">
              <q>
                <bdi>{says}</bdi>
              </q>
            </p>
          )}
          <p class="fine">
            <code>{permissions.join(' ')}</code>
          </p>
        </li>
      ))}
    </ul>
  )
  return (
    <>
      <h2 id="tools-title">{agent.tools(tools.length)}</h2>
      {tools.length > mostOpen ? (
        <details>
          <summary>{agent.show}</summary>
          {list}
        </details>
      ) : tools.length === 0 ? null : (
        list
      )}
      {tools.some(({ says }) => says !== '') ? (
        <p class="fine" id="unchecked">
          {agent.unchecked}
        </p>
      ) : null}
    </>
  )
}

const lengths = ['until', 'day', 'once'] as const

/** For how long it may act. */
export function HowLong(): VNode {
  const { agent } = useTexts().consent
  return (
    <fieldset id="how-long">
      <legend>{agent.howLong}</legend>
      {lengths.map((each) => (
        <label key={each} class="choice" for={`lasts-${each}`}>
          <input type="radio" id={`lasts-${each}`} name="lasts" value={each} checked={each === 'until'} />
          <span>{agent[each]}</span>
        </label>
      ))}
    </fieldset>
  )
}
