// What stands around pages, in German.

import type { Texts } from '../english/texts.js'

export const frame: Texts['frame'] = {
  skip: 'Zum Inhalt springen',
  you: 'Ihr Konto',
  languages: 'Sprache',
  signOut: 'Abmelden',
  signIn: 'Anmelden',
  backToSignIn: 'Zurück zur Anmeldung',
  back: 'Zurück',
  cancel: 'Abbrechen',
  goOn: 'Weiter',
  openAgain: 'Seite erneut öffnen',
  yourAccount: 'Ihr Konto',
  backToAccount: 'Zurück zu Ihrem Konto',
  request: 'Anfrage',
  or: 'oder',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  organisation: 'Organisation',
  verified: 'Geprüft',
  unverified: 'Nicht geprüft',
  signingInTo: (application) => ['Anmeldung bei ', application],
  registeredBy: (home) => ['Registriert von ', home],
  lookalikes: '(Buchstaben dieses Namens sehen aus wie andere: Sehen Sie genau hin)',
  signedInAs: (person) => `Angemeldet als ${person}`,
  code: 'Sechsstelliger Code',
  passwordHint: (length) =>
    `Mindestens ${length} Zeichen. Gut sind ein paar Wörter, die nichts miteinander zu tun haben.`,
  show: 'Anzeigen',
  hide: 'Verbergen',
  tryAgain: 'Versuchen Sie es noch einmal.',
  roles: {
    member: 'Mitglied',
    developer: 'Entwicklung',
    administrator: 'Administration',
    owner: 'Inhaberschaft',
  },
}
