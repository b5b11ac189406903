// Allowing a device, in German.

import type { Texts } from '../english/texts.js'

export const device: Texts['device'] = {
  title: 'Gerät verbinden',
  type: 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
  isThis: 'Ist das der Code, den Ihr Gerät anzeigt?',
  code: 'Code',
  codeHint: 'Acht Buchstaben. Leerzeichen, Bindestriche und Kleinschreibung spielen keine Rolle.',
  onlyYours:
    'Geben Sie nur einen Code ein, den ein Gerät oder Programm vor Ihnen anzeigt. Niemand sonst braucht einen von Ihnen.',
  unknown:
    'Kein Gerät wartet auf diesen Code. Sehen Sie noch einmal nach oder lassen Sie das Gerät einen neuen anzeigen (70018).',
  whose: 'Wessen Daten darf das Gerät nutzen?',
  allowTitle: 'Dieses Gerät zulassen?',
  warningTitle: 'Nur, wenn Sie das selbst begonnen haben',
  warning:
    'Fahren Sie nur fort, wenn Sie das gerade eben an einem Gerät vor Ihnen begonnen haben. Wenn Ihnen jemand den Code oder den Link geschickt hat, hören Sie hier auf: Diese Person bekäme, was Sie erlauben.',
  requested: 'Angefragt',
  requestedFrom: (minutes, address) => `${ago(minutes)}, von ${address}`,
  administrator: (link) => [
    'Ein Teil davon braucht die Administration Ihrer Organisation. ',
    link('Bitten Sie um ihre Zustimmung'),
    ' und geben Sie den Code dann noch einmal ein.',
  ],
  deny: 'Ablehnen',
  allow: 'Zulassen',
  connected: 'Gerät verbunden',
  denied: 'Gerät abgelehnt',
  connectedText: 'Gehen Sie zurück zu Ihrem Gerät: In wenigen Sekunden geht es dort von selbst weiter.',
  deniedText:
    'Es wurde nichts erlaubt. Wenn Sie das nicht begonnen haben, war es vielleicht jemand anderes: Geben Sie keine Codes ein, die andere Ihnen schicken.',
  close: 'Sie können diese Seite schließen.',
}

function ago(minutes: number): string {
  if (minutes === 0) return 'gerade eben'
  return minutes === 1 ? 'vor 1 Minute' : `vor ${minutes} Minuten`
}
