// Allowing a device, in French.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const device: Texts['device'] = {
  title: 'Connecter un appareil',
  type: 'Saisissez le code affiché par votre appareil.',
  isThis: 'Est-ce bien le code affiché par votre appareil ?',
  code: 'Code',
  codeHint: 'Huit lettres. Les espaces, les traits d’union et les minuscules n’ont pas d’importance.',
  onlyYours:
    'Ne saisissez qu’un code affiché par un appareil ou un programme qui se trouve devant vous. Personne d’autre n’a besoin que vous en saisissiez un.',
  unknown:
    'Aucun appareil n’attend avec ce code. Vérifiez-le, ou faites afficher un nouveau code par l’appareil (70018).',
  whose: 'Quelles données l’appareil peut-il utiliser ?',
  allowTitle: 'Autoriser cet appareil ?',
  warningTitle: 'Seulement si vous êtes à l’origine de cette demande',
  warning:
    'Ne continuez que si vous venez de commencer cela vous-même, sur un appareil qui se trouve devant vous. Si quelqu’un vous a envoyé le code ou le lien, arrêtez-vous ici : cette personne obtiendrait ce que vous autorisez.',
  requested: 'Demandé',
  requestedFrom: (minutes, address) => `${ago(minutes)}, depuis ${address}`,
  administrator: (link) => [
    'Une partie de cette demande requiert un administrateur de votre organisation. ',
    link('Demandez son accord'),
    ', puis saisissez de nouveau le code.',
  ],
  deny: 'Refuser',
  allow: 'Autoriser',
  connected: 'Appareil connecté',
  denied: 'Appareil refusé',
  connectedText: 'Retournez à votre appareil : il continuera de lui-même dans quelques secondes.',
  deniedText:
    'Rien n’a été autorisé. Si vous n’êtes pas à l’origine de cette demande, quelqu’un d’autre l’est peut-être : ne saisissez pas de codes que d’autres vous envoient.',
  close: 'Vous pouvez fermer cette page.',
}

function ago(minutes: number): string {
  if (minutes === 0) return 'à l’instant'
  return plural('fr', minutes, { one: `il y a ${minutes} minute`, other: `il y a ${minutes} minutes` })
}
