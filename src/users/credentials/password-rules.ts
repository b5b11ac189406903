// What a new password must be (NIST SP 800-63B-4 §3.1.1.2): long enough, not one that is tried first, not made of what
// everybody knows of the person. No rules about kinds of characters: those make passwords worse.

import { PasswordRefusal } from '../refusal.js'
import { isCommonPassword } from './common-passwords.js'

/** More than anybody types; hashing has a bound. */
const mostBytes = 1024

/** What guessing begins with besides the common ones; compared without case and without what is around it. */
const commonest: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 passwordpassword passw0rd passw0rd123 p@ssword p@ssw0rd p@ssw0rd123
   12345678 123456789 1234567890 12345678901 123456789012 1234567890123 87654321 987654321 9876543210 0987654321 11111111
   111111111 1111111111 111111111111 00000000 000000000000 123123123 123123123123 12341234 123412341234 123321123 112233445566
   1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qaz2wsx3edc4rfv qwerty12 qwerty123 qwerty1234 qwerty12345
   qwerty123456 qwertyui qwertyuiop qwertyuiop123 qwertyqwerty qwertzuiop qazwsxedc qazwsxedcrfv asdfghjkl asdfghjkl123
   zxcvbnm123 abcdefgh abcdefghijkl abcd1234 abcd12345678 abc123456789 aa123456 a1b2c3d4 a1b2c3d4e5f6 iloveyou iloveyou123
   iloveyou1234 letmein123 letmein12345 welcome1 welcome12 welcome123 welcome1234 welcome12345 changeme changeme123
   changeme1234 changeit secret123 secret123456 admin123 admin1234 admin12345 admin123456 administrator administrator1
   administrator123 superadmin superuser rootroot root123456 adminadmin adminadminadmin test1234 test12345678 testtest
   testtesttest default123 football football123 baseball baseball123 basketball sunshine sunshine123 princess princess123
   dragon123 monkey123 monkey123456 superman superman123 batman123 starwars starwars123 trustno1 whatever whatever123 computer
   computer123 internet internet123 michelle jennifer corvette mustang123 liverpool liverpool123 chelsea123 arsenal123
   mypassword mypassword123 mypassword1 thisismypassword yourpassword newpassword newpassword1 newpassword123 oldpassword
   passphrase correcthorsebatterystaple hunter22 portcullis portcullis1 portcullis12 portcullis123 portcullis1234`.split(
    /\s+/,
  ),
)

/** The password as it is hashed: Unicode NFC, so that it is the same from every keyboard (RFC 8265 §4.2 in spirit). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/** Whether it is worth hashing at all. */
export function isHashable(password: string): boolean {
  return password !== '' && Buffer.byteLength(password) <= mostBytes
}

/**
 * The new password as it is hashed. `least`: characters that it must have. Throws UserRefusal (PasswordRefused), with
 * what to do better.
 */
export function checkNewPassword(password: string, person: Context, least: number): string {
  const normal = normalizePassword(password)
  if ([...normal].length < least) {
    throw new PasswordRefusal({ rule: 'short', bound: least }, `A password has at least ${least} characters.`)
  }
  if (!isHashable(normal)) {
    throw new PasswordRefusal({ rule: 'long', bound: mostBytes }, `A password has at most ${mostBytes} bytes.`)
  }
  const plain = normal.toLowerCase()
  const stripped = plain.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  if (commonest.has(plain) || commonest.has(stripped) || isCommonPassword(plain) || isRepetition(plain)) {
    throw new PasswordRefusal(
      { rule: 'common' },
      'This password is among the first that are tried. Choose another one, such as a few unrelated words.',
    )
  }
  if (wordsOf(person).some((word) => plain.includes(word))) {
    throw new PasswordRefusal(
      { rule: 'personal' },
      'A password must not contain your e-mail address, a part of it, your name, that of your organisation, or that of this service.',
    )
  }
  return normal
}

/** In names of organisations, and in good passwords. */
const everybodys = new Set([
  'group',
  'company',
  'limited',
  'house',
  'world',
  'green',
  'north',
  'south',
  'university',
  'school',
])

/** `aaaaaaaaaaaa`, `abcabcabcabc`: a few characters over and over. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+.{0,3}$/u.test(text)
}

/** What a person's password is guessed from. `tenants`: what their organisations are called. */
interface Context {
  email: string
  name: string
  tenants?: readonly string[]
}

/**
 * Whole address and its parts, the names and their parts, and our own; short ones say nothing and are left out. Words
 * of an organisation's name and of its domain have to be longer: they are everybody's.
 */
function wordsOf({ email, name, tenants = [] }: Context): string[] {
  const address = email.toLowerCase().normalize('NFC')
  const names = name.toLowerCase().normalize('NFC')
  const [local = '', host = ''] = address.split('@')
  const parts = [local, ...local.split(/[._+-]/), host.split('.')[0] ?? '', names, ...names.split(/\s+/)]
  const organisations = tenants.map((each) => each.toLowerCase().normalize('NFC'))
  const whole = organisations.flatMap((each) => [each, each.replace(/[^\p{L}\p{N}]+/gu, '')])
  const words = [...organisations.flatMap((each) => each.split(/[^\p{L}\p{N}]+/u)), ...host.split('.').slice(0, -1)]
  return [
    ...[address, host, ...parts, ...whole, 'portcullis'].filter((word) => [...word].length >= 4),
    ...words.filter((word) => [...word].length >= 5 && !everybodys.has(word)),
  ]
}
