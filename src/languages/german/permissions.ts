// The permissions of the management API, in plain words for those who consent.

import type { Texts } from '../english/texts.js'

export const permissions: Texts['permissions'] = {
  'Application.Read.All': 'Die Anwendungen lesen, die in der Organisation registriert sind',
  'Application.ReadWrite.All':
    'Anwendungen der Organisation registrieren, ändern und löschen und ihnen Zugangsdaten geben',
  'Usage.Read.All': 'Lesen, wie Anwendungen der Organisation genutzt werden',
  'Tenant.Read.All': 'Die Einstellungen der Organisation lesen',
  'Tenant.ReadWrite.All': 'Die Einstellungen der Organisation ändern',
  'Consent.Read.All': 'Zustimmungen in der Organisation und Anfragen dazu lesen',
  'Consent.ReadWrite.All': 'In der Organisation Zustimmung erteilen und entziehen und über Anfragen dazu entscheiden',
  'Member.Read.All': 'Lesen, wer zur Organisation gehört',
  'Member.ReadWrite.All': 'Personen der Organisation einladen, ändern und entfernen',
  'AuditLog.Read.All': 'Lesen, was in der Organisation getan wurde',
  'Event.ReadWrite.All': 'Ereignisse der Organisation an andere Dienste senden',
  'Server.Read': 'Alle Organisationen, Signaturschlüssel, Routen und den Zustand dieses Servers sehen',
  'Server.ReadWrite': 'Organisationen anlegen und die Signaturschlüssel dieses Servers wechseln',
}
