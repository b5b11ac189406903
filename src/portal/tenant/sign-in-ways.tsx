// With what a tenant's people sign in (decision 130): the part of the tenant's form, and what it says.

import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { displayName } from '../../web/pages/display-name.js'
import { Notice } from '../../web/pages/elements.js'

export interface NamedProvider {
  name: string
  label: string
}

type Ways = Pick<Answer<'tenant'>, 'ownSignIn' | 'signInProviders'>
type Shown = Ways & Pick<Answer<'tenant'>, 'missingProviders' | 'onlyOwners'>

/** What the form says; nothing where it did not show these fields. */
export function readWays(form: FormFields): Partial<Ways> {
  const which = form.get('providers')
  if (which === undefined) return {}
  const signInProviders = which === 'all' ? null : [...form.all('provider')]
  return { ownSignIn: form.get('own-sign-in') === 'allowed' ? 'allowed' : 'owners', signInProviders }
}

/** Nothing where there are no providers, and nothing is said of any. */
export function SignInWays({
  tenant,
  providers,
}: {
  tenant: Shown
  providers: readonly NamedProvider[]
}): VNode | null {
  const { ownSignIn, signInProviders, missingProviders, onlyOwners } = tenant
  if (providers.length === 0 && signInProviders === null && ownSignIn === 'allowed') return null
  const gone = missingProviders.map((name) => ({ name, label: `${name} (not in the configuration any more)` }))
  return (
    <fieldset id="sign-in-ways">
      <legend>How its people sign in</legend>
      <p class="hint">
        A sign-in made another way opens nothing here. Owners can always use a password or a passkey, so that nobody is
        locked out. Who has no account at these providers linked yet gets a link on their page under People.
      </p>
      {onlyOwners ? (
        <Notice kind="error" id="only-owners">
          Nobody but owners can sign in now: this server has none of the providers. Name another one, or let a password
          or a passkey count until they are back.
        </Notice>
      ) : null}
      <label class="choice" for="own-sign-in">
        <input type="checkbox" id="own-sign-in" name="own-sign-in" value="allowed" checked={ownSignIn === 'allowed'} />
        <span>With a password or a passkey of this server</span>
      </label>
      <label class="choice" for="providers-all">
        <input type="radio" id="providers-all" name="providers" value="all" checked={signInProviders === null} />
        <span>With every provider of this server</span>
      </label>
      <label class="choice" for="providers-named">
        <input type="radio" id="providers-named" name="providers" value="named" checked={signInProviders !== null} />
        <span>Only with these providers</span>
      </label>
      {[...providers, ...gone].map(({ name, label }) => (
        <label key={name} class="choice" for={`provider-${name}`}>
          <input
            type="checkbox"
            id={`provider-${name}`}
            name="provider"
            value={name}
            checked={signInProviders?.includes(name) === true}
          />
          <span>{displayName(label)}</span>
        </label>
      ))}
    </fieldset>
  )
}
