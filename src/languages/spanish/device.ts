// Allowing a device, in Spanish.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const device: Texts['device'] = {
  title: 'Conectar un dispositivo',
  type: 'Escriba el código que muestra su dispositivo.',
  isThis: '¿Es este el código que muestra su dispositivo?',
  code: 'Código',
  codeHint: 'Ocho letras. Los espacios, los guiones y las minúsculas no importan.',
  onlyYours:
    'Escriba únicamente un código que muestre un dispositivo o programa que tenga delante. Nadie más necesita que usted escriba uno.',
  unknown: 'Ningún dispositivo espera con este código. Revíselo o haga que el dispositivo muestre uno nuevo (70018).',
  whose: '¿De quién son los datos que puede usar el dispositivo?',
  allowTitle: '¿Permitir este dispositivo?',
  warningTitle: 'Solo si usted ha iniciado esto',
  warning:
    'Continúe solo si acaba de iniciar esto en un dispositivo que tiene delante. Si alguien le envió el código o el enlace, deténgase aquí: esa persona obtendría lo que usted permita.',
  requested: 'Solicitado',
  requestedFrom: (minutes, address) => `${ago(minutes)}, desde ${address}`,
  administrator: (link) => [
    'Una parte de esto requiere a un administrador de su organización. ',
    link('Solicite su consentimiento'),
    ' y después vuelva a escribir el código.',
  ],
  deny: 'Rechazar',
  allow: 'Permitir',
  connected: 'Dispositivo conectado',
  denied: 'Dispositivo rechazado',
  connectedText: 'Vuelva a su dispositivo: continuará por sí solo en unos segundos.',
  deniedText:
    'No se ha permitido nada. Si usted no inició esto, puede que lo haya hecho otra persona: no escriba códigos que le envíen otros.',
  close: 'Puede cerrar esta página.',
}

function ago(minutes: number): string {
  if (minutes === 0) return 'ahora mismo'
  return plural('es', minutes, { one: `hace ${minutes} minuto`, other: `hace ${minutes} minutos` })
}
