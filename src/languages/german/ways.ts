// Refusals on the other ways in, in German.

import type { Texts } from '../english/texts.js'

export const ways: Texts['ways'] = {
  device: {
    again: 'Code eingeben',
    expired: {
      title: 'Dieser Code ist abgelaufen',
      what: 'Über ihn wurde schon entschieden, er ist zu alt, oder die Anwendung wurde deaktiviert.',
      remedy: 'Wenn das Gerät noch wartet, lassen Sie es einen neuen Code anzeigen und geben Sie diesen ein.',
    },
    gone: {
      title: 'Diese Seite ist abgelaufen',
      what: 'Der Vorgang wurde schon abgeschlossen, vielleicht in einem anderen Tab, hat zu lange gedauert oder wurde in einem anderen Browser geöffnet.',
      remedy:
        'Sehen Sie auf das Gerät: Wenn es weitermacht, sind Sie fertig. Wenn es noch wartet, geben Sie seinen Code noch einmal ein.',
    },
    tenant: {
      title: 'Sie können diese Anwendung nicht nutzen',
      what: 'Sie sind angemeldet, gehören aber zu keiner Organisation, in der diese Anwendung genutzt werden kann.',
      remedy:
        'Bitten Sie die Administration Ihrer Organisation, die Anwendung zu installieren, oder melden Sie sich ab und verwenden Sie ein anderes Konto.',
    },
    role: {
      title: 'Ihre Rolle erlaubt das nicht',
      what: 'Das Gerät verlangt etwas, das Ihre Rolle in dieser Organisation nicht erlaubt.',
      remedy: 'Bitten Sie die Administration Ihrer Organisation um die nötige Rolle.',
    },
    off: {
      title: 'Gerätecodes sind ausgeschaltet',
      what: 'Ihre Organisation erlaubt nicht, dass sich Geräte mit einem Code anmelden. Es wurde nichts erlaubt.',
      remedy:
        'Melden Sie sich auf dem Gerät mit einem Browser an oder fragen Sie die Administration Ihrer Organisation.',
    },
    typed: {
      title: 'Geben Sie den Code selbst ein',
      what: 'Das Gerät verlangt Berechtigungen der Administration, und wer Ihnen den Link geschickt hat, könnte sie in Ihrem Namen nutzen. Es wurde nichts erlaubt.',
      remedy: 'Wenn Sie das selbst begonnen haben, geben Sie den Code ein, den Ihr Gerät anzeigt.',
    },
    factor: {
      title: 'Melden Sie sich zuerst mit zwei Faktoren an',
      what: 'Das Gerät verlangt Berechtigungen der Administration: Alle, die das Gerät haben, könnten Ihre Organisation in Ihrem Namen verändern. Dafür brauchen Sie eine frische Anmeldung mit einem Passkey oder einem zweiten Schritt. Es wurde nichts erlaubt.',
      remedy:
        'Melden Sie sich ab, melden Sie sich mit Ihrem Passkey oder zweiten Schritt wieder an und geben Sie den Code gleich noch einmal ein. Wenn Sie keines von beiden haben, schalten Sie zuerst eines ein.',
    },
    administrator: {
      title: 'Zustimmung der Administration erforderlich',
      what: 'Das Gerät verlangt etwas, dem die Administration Ihrer Organisation zustimmen muss. Es wurde nichts erlaubt.',
      remedy: 'Bitten Sie die Administration um Zustimmung und geben Sie den Code dann noch einmal ein.',
    },
    turnOn: 'Zweiten Schritt einschalten',
  },
  provider: {
    backToProviders: 'Zurück zu Ihren Anbietern',
    unknown: {
      title: 'Unbekannter Anbieter',
      what: 'Dieser Server hat keinen Anbieter mit diesem Namen.',
      remedy: 'Wählen Sie auf der Anmeldeseite einen anderen Weg.',
    },
    notProven: (provider) => ({
      title: `Die Antwort von ${provider} ließ sich nicht prüfen`,
      what: `Was von ${provider} zurückkam, ließ sich nicht prüfen. Deshalb wurde niemand angemeldet. Vielleicht war es für eine andere Stelle oder einen anderen Versuch bestimmt, oder ${provider} ist anders eingerichtet, als dieser Server es erwartet.`,
      remedy:
        'Versuchen Sie es noch einmal oder melden Sie sich auf anderem Weg an. Wenn es jedes Mal geschieht, nennen Sie denen, die diesen Server betreiben, die Anfragenummer unten.',
    }),
    ended: (provider) => ({
      title: 'Diese Anmeldung ist abgelaufen',
      what: `Was von ${provider} zurückkam, gehört zu einer Anmeldung, die schon abgeschlossen wurde, mehr als eine Viertelstunde gewartet hat oder in einem anderen Browser begonnen wurde.`,
      remedy: 'Beginnen Sie hier von vorn.',
    }),
    noAccount: (provider) => ({
      title: 'Es ist kein Konto verknüpft',
      what: `${provider} hat bestätigt, wer Sie sind, aber kein Konto hier ist mit Ihrem Konto dort verknüpft.`,
      remedy: `Wenn Sie hier ein Konto haben, melden Sie sich auf anderem Weg an und verknüpfen Sie ${provider} auf Ihrer Kontoseite. Wenn nicht, bitten Sie die Administration Ihrer Organisation um eine Einladung. Wenn Ihre Organisation das verwaltet, bitten Sie die Administration um einen Link.`,
    }),
    noTenant: (provider) => ({
      title: 'Es konnte kein Konto angelegt werden',
      what: `${provider} hat bestätigt, wer Sie sind, aber die Organisation, der neue Personen beitreten, gibt es nicht oder sie ist deaktiviert.`,
      remedy: 'Nennen Sie denen, die diesen Server betreiben, die Anfragenummer unten.',
    }),
    away: (provider) => ({
      title: `${provider} ist nicht erreichbar`,
      what: `${provider} hat nicht rechtzeitig oder ungültig geantwortet. Niemand wurde angemeldet.`,
      remedy: 'Warten Sie eine Minute und versuchen Sie es noch einmal oder melden Sie sich auf anderem Weg an.',
    }),
    unfinished: (provider) => ({
      title: `Sie wurden bei ${provider} nicht angemeldet`,
      what: `${provider} hat Sie zurückgeschickt, ohne zu bestätigen, wer Sie sind: Die Anmeldung wurde dort abgebrochen oder abgelehnt.`,
      remedy: 'Versuchen Sie es noch einmal oder melden Sie sich auf anderem Weg an.',
    }),
  },
}
