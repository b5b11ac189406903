// identity M9: whatever a mail is about, a tenant's name says nothing in it but a name. A new text does not compile
// without a line here.

import t from 'tap'
import { type MailText, mailTexts, nameInMail } from '../../../src/users/mail/mail-text.js'

const [host, url] = ['portcullis.test', 'https://portcullis.test/some/path']
const counts = { origins: 3, applications: 2 }

const written: { readonly [Text in keyof typeof mailTexts]: (tenantName: string) => MailText } = {
  invitation: (tenantName) => mailTexts.invitation(host, url, tenantName),
  passwordReset: () => mailTexts.passwordReset(host, url),
  confirmEmail: () => mailTexts.confirmEmail(host, url),
  addressInUse: () => mailTexts.addressInUse(host),
  addressChanged: () => mailTexts.addressChanged(host),
  manyFailures: () => mailTexts.manyFailures(host, url),
  newOrigins: (tenantName) => mailTexts.newOrigins(host, url, { tenantName, ...counts }),
}

const wicked = [
  'Your Portcullis account is locked. Unlock: https://evil.example/unlock',
  'evil.example',
  'evil\u3002example',
  'Contoso\r\nBcc: all@evil.example',
  'Contoso\u2028Call 0800 123 456',
  'ring 0800 123 456 now',
  'Contoso <https://evil.example>',
  'write to help@evil.example',
  'www evil example',
  'Contoso, verified ✅',
  'x'.repeat(200),
  '\u202eelpmaxe.live',
]

t.test('identity M9: no text of any mail has anything of a name that is more than one', async (t) => {
  for (const [about, write] of Object.entries(written)) {
    const plain = write('')
    for (const name of wicked) {
      t.equal(nameInMail(name), undefined, encodeURI(name))
      t.same(write(name), plain, `${about}: ${encodeURI(name)}`)
    }
    const named = write('Contoso')
    t.notMatch(named.subject, 'Contoso', `${about}: a subject is ours alone`)
    t.same(
      [...named.text.matchAll(/https?:\/\/[^\s/]+/g)].filter(([link]) => link !== 'https://portcullis.test'),
      [],
      `${about}: it leads nowhere but here`,
    )
    t.notMatch(named.subject, /[\r\n]/, about)
  }
  t.match(written.invitation('Contoso').text, 'the organisation “Contoso” at', 'a name that is one is said')
  t.match(written.newOrigins('Contoso').text, 'the organisation “Contoso” at')
})

t.test('identity M9: mail that tells how many says it in words that fit', async (t) => {
  const text = (origins: number, applications: number) =>
    mailTexts.newOrigins(host, url, { tenantName: undefined, origins, applications }).text
  t.match(text(1, 1), /^Somebody gave one application of your organisation .* addresses on one new site\./)
  t.match(text(3, 2), /^Somebody gave 2 applications of your organisation .* addresses on 3 new sites\./)
})
