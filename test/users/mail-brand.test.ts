// The end of mails: every one says whose server it is from; one about an organisation says which, with the addresses
// that it gives itself, and nothing else that it might want to say.

import t from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { changeTenantBrand } from '../../src/directory/brands/tenant-brand.js'
import { languages } from '../../src/languages/language.js'
import { mailNotice } from '../../src/users/mail/mail.js'
import { linkInMail, tenantInMail, withFoot } from '../../src/users/mail/mail-foot.js'
import { invite } from '../../src/users/mail/send-link.js'
import { mailRates, startMailServer } from '../support/people/mail-server.js'
import { openUsers } from '../support/rooms/users.js'

const said = {
  name: 'Contoso Works',
  terms: 'https://contoso.example/terms',
  privacy: 'https://contoso.example/privacy',
  support: 'mailto:help@contoso.example',
}
const written = { subject: 'A subject', text: 'A text.\n' }

t.test(
  'a mail names server and organisation, each for itself; one about an account has the server’s links',
  async (t) => {
    const server = await startMailServer(t)
    const { users, writes, tenantId, person } = await openUsers(t, {
      mail: { url: secretValue(server.url), from: 'Portcullis <no-reply@example.test>', ...mailRates },
    })
    const ada = await person('Ada')
    await changeTenantBrand(writes, tenantId, said)
    const brand = { ...users.serverBrand.current(), name: 'Northwind ID', terms: 'https://northwind.example/t' }
    users.serverBrand.current = () => brand
    await invite(users, { tenantId, email: 'cem@example.test', role: 'member' })
    const invitation = await server.mailTo('cem@example.test', 'Northwind ID')
    t.match(invitation, /the organisation =E2=80=9CContoso Works=E2=80=9D at portcullis\.test/)
    t.match(invitation, /--\r\nThis mail is from Northwind ID, at portcullis\.test\. It is about the organisation/)
    t.match(invitation, /gives these addresses itself:\r\nTerms: https:\/\/contoso\.example\/terms\r\nPrivacy: /)
    t.match(invitation, 'Support: mailto:help@contoso.example')
    t.notMatch(invitation, 'northwind.example')
    t.match(server.subjectsTo('cem@example.test'), ['Invitation to portcullis.test'], 'a subject is ours alone')
    await mailNotice(users, ada, 'manyFailures')
    const notice = await server.mailTo('ada@example.test', 'many wrong passwords')
    t.match(
      notice,
      /--\r\nThis mail is from Northwind ID, at portcullis\.test\.\r\nTerms: https:\/\/northwind\.example\/t\r\n/,
    )
    t.notMatch(notice, /contoso/i, 'it is about an account')
  },
)

t.test('the brand of the server is that of the moment, also for who writes as somebody', async (t) => {
  const { users } = await openUsers(t)
  const [acting, before] = [{ ...users }, users.serverBrand.current()]
  users.serverBrand.current = () => ({ ...before, name: 'Wingtip ID' })
  t.match((await withFoot(acting, written, {})).text, 'This mail is from Wingtip ID, at portcullis.test.')
})

t.test('in every language, and only its own name of an organisation that is switched off', async (t) => {
  const { users, writes, store, tenantId } = await openUsers(t)
  await changeTenantBrand(writes, tenantId, said)
  for (const language of languages) {
    const { subject, text } = await withFoot(users, written, { tenantId, language })
    t.equal(subject, written.subject)
    const [, foot = ''] = text.split('\n--\n')
    for (const part of ['Portcullis', 'portcullis.test', 'Contoso Works', said.terms, said.privacy, said.support]) {
      t.ok(foot.includes(part), `${language}: ${part}`)
    }
  }
  await store.transaction((tx) =>
    tx.updateTable('tenants').set({ state: 'disabled' }).where('id', '=', tenantId).execute(),
  )
  t.same(await tenantInMail(users, tenantId), {
    ...{ name: 'Contoso', terms: undefined, privacy: undefined, support: undefined },
  })
  t.same((await tenantInMail(users, 'nobody')).name, undefined, 'of a tenant that is gone, nothing')
})

t.test('a brand that is more than a name or an address is not said, whatever is in the Store', async (t) => {
  const { users, writes, store, tenantId } = await openUsers(t)
  await changeTenantBrand(writes, tenantId, { terms: said.terms })
  const plain = await withFoot(users, written, { tenantId })
  t.match(plain.text, '“Contoso”', 'its own name where its brand has none')
  const wicked = [
    'Contoso\r\nBcc: all@evil.example',
    'Contoso\nYour password has ended',
    '\u202eelpmaxe.live',
    'Con\u2066toso\u2069',
    'Contoso\u2028Reset now',
    'x'.repeat(10_000),
    'Contoso <https://evil.example>',
    '<b>Contoso</b>',
    'Portcullis security',
  ]
  for (const name of wicked) {
    await store.transaction((tx) => tx.updateTable('tenant_brands').set({ name }).execute())
    t.same(await withFoot(users, written, { tenantId }), plain, encodeURI(name.slice(0, 40)))
  }
  for (const terms of [
    'https://a.example/\r\nBcc: x',
    'javascript:alert(1)',
    `https://a.example/${'x'.repeat(9_000)}`,
  ]) {
    await store.transaction((tx) => tx.updateTable('tenant_brands').set({ name: '', terms }).execute())
    const { text } = await withFoot(users, written, { tenantId })
    t.notMatch(text, /a\.example|Bcc|javascript/)
    t.match(text, 'It is about the organisation “Contoso”.')
  }
})

t.test('an address in a mail says where it is and no more', async (t) => {
  const own = 'id.wingtip.example:8443'
  const taken = [
    'https://contoso.example/',
    'https://www.contoso.example/legal/terms-of-use.html',
    'https://contoso.example/support',
    'mailto:help@contoso.example',
    'https://id.wingtip.example/account',
  ]
  for (const link of taken) t.equal(linkInMail(link, own), link)
  const left = [
    '',
    'https://contoso.example/?say=call-us',
    'https://contoso.example/#now',
    'https://contoso.example/%E2%80%AE',
    'https://contoso.example/a b',
    'https://contoso.example/\u202etxt',
    'https://xn--cntoso-6of.example/',
    'https://id.wingtip.example.evil.example/',
    'https://my-id.wingtip.example/',
    'https://evil.example/reset-password',
    'https://portcullis-help.example/',
    'mailto:account@evil.example',
    `https://${'a'.repeat(61)}.example/`,
    `https://contoso.example/${'a'.repeat(120)}`,
    'http://contoso.example/',
  ]
  for (const link of left) t.equal(linkInMail(link, own), undefined, encodeURI(link).slice(0, 60))
})

t.test(
  'C17 a brand that looks like the server’s since a reload heads no mail, and neither does such a tenant',
  async (t) => {
    const { users, writes, tenantId } = await openUsers(t)
    await changeTenantBrand(writes, tenantId, { ...said, name: 'Northwind ID' })
    t.match((await withFoot(users, written, { tenantId })).text, 'about the organisation “Northwind ID”')
    const before = users.serverBrand.current()
    users.serverBrand.current = () => ({ ...before, name: 'N0RTHWIND ID' })
    const foot = (await withFoot(users, written, { tenantId })).text
    t.match(foot, 'about the organisation “Contoso”', 'by its own name')
    t.notMatch(foot, 'Northwind ID')
    users.serverBrand.current = () => ({ ...before, name: 'Contoso' })
    await changeTenantBrand(writes, tenantId, { name: 'C0ntoso' })
    const { text } = await withFoot(users, written, { tenantId })
    t.match(text, '\n--\nThis mail is from Contoso, at portcullis.test.\n')
    t.notMatch(text, /about the organisation|contoso\.example|C0ntoso/, 'nor its addresses')
  },
)
