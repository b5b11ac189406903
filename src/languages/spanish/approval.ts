// Approving a single call of an agent, in Spanish.

import type { Texts } from '../english/texts.js'

export const approval: Texts['approval'] = {
  title: '¿Aprobar esta llamada?',
  intro: 'Un agente quiere usar una herramienta en su nombre. Solo continúa si usted lo permite aquí.',
  tool: 'Herramienta',
  server: 'Servidor',
  with: 'Argumentos',
  hidden: 'Lo que no se puede ver se escribe como \\u y un número.',
  limits: (minutes) =>
    `Usted permite esta única llamada, una vez, en un plazo de ${minutes} minutos. Otra llamada, o la misma más tarde, volverá a necesitarle.`,
  decideUntil: 'Decidir antes de',
  refuse: 'Rechazar',
  allow: 'Permitir una vez',
  allowed: 'Llamada permitida',
  allowedText: (time) => [
    'El agente puede hacer esta llamada una vez, hasta el ',
    time,
    '. Vuelva al agente; quizá tenga que intentarlo de nuevo.',
  ],
  refused: 'Llamada rechazada',
  refusedText: 'No se ha hecho nada. Si no esperaba esta llamada, retire el acceso al agente.',
  used: 'Llamada realizada',
  usedText: 'Usted permitió esta llamada y el agente la ha hecho. No puede repetirla sin usted.',
  over: 'Esta solicitud ya no es válida',
  overText:
    'No se decidió o no se usó a tiempo, o se retiró el acceso del agente. La llamada no se hace. Si todavía hace falta, el agente volverá a solicitarla.',
  none: {
    title: 'No existe esta solicitud',
    what: 'Nada le espera en esta dirección. Puede que terminara hace tiempo o que sea para otra persona.',
    remedy:
      'Inicie sesión como la persona para la que trabaja el agente, o deje que el agente lo intente de nuevo y abra la nueva dirección.',
  },
}
