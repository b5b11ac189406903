// What the rooms below refuse, in German.

import type { Texts } from '../english/texts.js'

export const refusals: Texts['refusals'] = {
  NoPassword: 'Dieses Konto hat kein Passwort.',
  WrongPassword: 'Das ist nicht Ihr aktuelles Passwort.',
  WrongCode: 'Dieser Code ist falsch oder gilt nicht mehr.',
  InvalidEmail: 'Das ist keine E-Mail-Adresse.',
  EmailTaken: 'Diese E-Mail-Adresse gehört schon zu einem Konto.',
  OtherPerson: 'Diese Einladung gilt für eine andere E-Mail-Adresse: Melden Sie sich mit dieser an.',
  HasOwner: 'Es gibt schon eine Inhaberin oder einen Inhaber: Bitten Sie dort um eine Einladung.',
  AlreadyMember: 'Diese Person gehört schon zur Organisation.',
  TenantDisabled: 'Die Organisation ist deaktiviert.',
  TenantNeeded: 'Geben Sie der Organisation einen Namen.',
  UserDisabled: 'Dieses Konto ist deaktiviert.',
  SessionNotFound: 'Diese Sitzung ist beendet.',
  PasskeyNotFound: 'Diesen Passkey gibt es nicht.',
  NoSecondFactor: 'Es gibt keinen zweiten Faktor.',
  SecondFactorExists: 'Es gibt schon einen zweiten Faktor.',
  ProviderNotLinked: 'Dieser Anbieter ist nicht verknüpft.',
  LinkedBefore:
    'Diese Organisation lässt über einen Anbieter ein, den Sie zuvor selbst verknüpft haben. Heben Sie die Verknüpfung auf Ihrer Kontoseite auf, öffnen Sie diesen Link noch einmal und bitten Sie die Administration um einen Link zum Anbieter.',
  OtherAddress:
    'Der Anbieter bestätigt die Adresse nicht, für die dieser Link gemacht wurde. Melden Sie sich dort mit jenem Konto an oder bitten Sie um einen Link für eine andere Adresse.',
  ProviderNotTaken: 'Ihre Organisation lässt Anmeldungen über diesen Anbieter nicht zu.',
  TenantKeepsLink:
    'Eine Ihrer Organisationen lässt über diesen Anbieter ein. Deshalb verknüpft ihn nur ihre Administration: Fragen Sie dort.',
  SecondFactorRequired:
    'Dieses Konto muss einen zweiten Faktor haben: Richten Sie einen anderen ein, bevor Sie diesen entfernen.',
  OnlyWayIn: 'Nur so können Sie sich anmelden. Fügen Sie zuerst einen Passkey hinzu.',
  password: {
    short: (least) => `Ein Passwort hat mindestens ${least} Zeichen.`,
    long: (most) => `Ein Passwort hat höchstens ${most} Bytes.`,
    common:
      'Dieses Passwort gehört zu denen, die zuerst probiert werden. Wählen Sie ein anderes, etwa ein paar Wörter, die nichts miteinander zu tun haben.',
    personal:
      'Ein Passwort darf weder Ihre E-Mail-Adresse noch einen Teil davon enthalten, noch Ihren Namen, den Ihrer Organisation oder den dieses Dienstes.',
    leaked: 'Dieses Passwort steht in einer Liste veröffentlichter Passwörter. Wählen Sie ein anderes.',
  },
}
