// Refusals that a person sees as a page, in Spanish.

import type { Texts } from '../english/texts.js'
import { durationIn } from '../formats.js'

export const errors: Texts['errors'] = {
  contactDeveloper:
    'Cierre esta página y póngase en contacto con el desarrollador de la aplicación. Aquí no puede hacer nada.',
  tooLarge: {
    title: 'Este formulario es demasiado grande',
    what: 'Su navegador ha enviado más de lo que acepta esta página.',
    remedy: 'Vuelva a abrir la página y envíe menos.',
  },
  nothingHere: {
    title: 'Página no encontrada',
    what: 'No hay nada en esta dirección.',
    remedy: 'Compruebe cómo está escrita o continúe desde una de estas páginas.',
    start: 'Ir a la página de inicio',
    documentation: 'Documentación',
    numbers: 'Números de error',
  },
  unexpected: {
    title: 'Algo ha salido mal',
    what: 'Se ha producido un error inesperado. No es culpa suya.',
    remedy: (request) =>
      `Vuelva a intentarlo dentro de un rato. Si sigue ocurriendo, indique este número de solicitud al operador de este servidor: ${request}`,
  },
  refused: {
    title: 'Esta solicitud se ha rechazado',
    remedy: 'Vuelva al lugar de donde vino y empiece de nuevo.',
  },
  tooManyRequests: {
    title: 'Demasiadas solicitudes',
    what: 'Han llegado demasiadas solicitudes desde su red en poco tiempo.',
    remedy: (seconds) => `Espere ${durationIn('es', seconds)} y vuelva a abrir la página.`,
  },
  cannot: {
    title: 'No se puede hacer',
    remedy: 'Vuelva atrás, revise lo que ha escrito e inténtelo de nuevo.',
    nothingChanged: 'No se ha cambiado nada. Vuelva atrás y revíselo.',
  },
  unreadable: {
    title: 'No hemos podido leer esta solicitud',
    what: 'Su navegador ha enviado algo que este servidor no ha podido leer.',
    remedy: 'Vuelva a abrir la página.',
  },
  away: {
    title: 'Este servicio no está disponible en este momento',
    what: 'No puede acceder a sus datos, por lo que no se ha podido mostrar ni cambiar nada.',
    remedy:
      'Espere un momento y vuelva a abrir la página. Si estaba enviando un formulario, compruebe antes si ha llegado.',
  },
  wrongMethod: {
    title: 'Esta página no acepta ese método',
    what: (methods) => `Esta dirección solo responde a ${methods}.`,
    remedy: 'Ábrala en un navegador.',
  },
  notAForm: {
    title: 'No hemos podido leer este formulario',
    what: 'El contenido debe ser application/x-www-form-urlencoded.',
    remedy: 'Abra la página en un navegador y envíe su formulario.',
  },
  malformedForm: {
    title: 'No hemos podido leer este formulario',
    what: 'Lo que ha enviado su navegador no es un formulario.',
    remedy: 'Vuelva a abrir la página y envíelo otra vez.',
  },
  cookiesBlocked: {
    title: 'Las cookies están bloqueadas',
    started:
      'Su navegador no ha devuelto la cookie que le dio este sitio, por lo que no se sabe qué había empezado usted.',
    startAgain:
      'Permita las cookies de este sitio en los ajustes de su navegador, vuelva a la aplicación y empiece allí de nuevo. Una dirección de este tipo solo funciona en el navegador en el que se empezó.',
    what: 'Su navegador no ha devuelto la cookie que le dio este sitio. Sin ella no se puede iniciar sesión aquí.',
    remedy:
      'Permita las cookies de este sitio en los ajustes de su navegador y vuelva a abrir la página. Las ventanas privadas y las extensiones también pueden bloquearlas.',
  },
  expired: {
    title: 'Este inicio de sesión ha caducado',
    what: 'Ya se completó, quizá en otra pestaña, tardó demasiado o se empezó en otro navegador.',
    remedy: 'Si la aplicación funciona, cierre esta página. Si no, vuelva a la aplicación y empiece allí de nuevo.',
  },
  ended: {
    title: 'Este inicio de sesión ha caducado',
    what: 'Ya se completó, esperó más de una hora o se empezó en otro navegador.',
    remedy: 'Vuelva a la aplicación de la que vino e inicie sesión de nuevo.',
    link: 'Ir a su cuenta',
  },
  doubledCookie: {
    title: 'Este navegador ha enviado una cookie dos veces',
    what: 'Una cookie de este sitio ha llegado dos veces con esta solicitud, por lo que no se sabe cuál es la suya.',
    remedy: 'Borre las cookies de este sitio en los ajustes de su navegador y empiece de nuevo.',
  },
  formExpired: {
    title: 'Este formulario ha caducado',
    what: 'Desde que abrió esta página, ha iniciado o cerrado sesión, o ha continuado en otra pestaña. No se ha cambiado nada.',
    remedy: 'Vuelva a cargar la página e inténtelo de nuevo. Puede que tenga que volver a escribir sus datos.',
  },
  foreignForm: {
    title: 'Esta solicitud procede de otro sitio',
    what: 'Otro sitio web ha intentado enviar aquí un formulario en su nombre. No se ha cambiado nada.',
    remedy: 'Si quería hacerlo, abra la página aquí y envíe usted el formulario.',
  },
  signedOut: {
    title: 'Su sesión está cerrada',
    what: 'Su sesión terminó antes de que se enviara este formulario, por lo que no se ha cambiado nada.',
    remedy: 'Inicie sesión de nuevo. Volverá a esta página.',
  },
  tooOld: {
    title: 'Confirme que es usted',
    what: (seconds) => `Inició sesión hace más de ${durationIn('es', seconds)}, por lo que no se ha cambiado nada.`,
    remedy: 'Inicie sesión de nuevo. Volverá a esta página.',
    link: 'Iniciar sesión otra vez',
  },
  secondStep: {
    title: 'Inicie sesión de nuevo',
    what: 'Este inicio de sesión caducó en el segundo paso, recibió demasiados códigos incorrectos, se canceló o ya se completó.',
    remedy: 'Empiece de nuevo.',
  },
  tooManyAttempts: {
    title: 'Demasiados intentos',
    what: 'Ha habido demasiados intentos fallidos de iniciar sesión en esta cuenta o desde su red.',
    remedy: (seconds) =>
      `Espere ${durationIn('es', seconds)} y vuelva a intentarlo. Todavía puede usar una llave de acceso o restablecer su contraseña.`,
  },
  busy: {
    title: 'El servidor está ocupado',
    what: 'Demasiadas personas están iniciando sesión en este momento. No se ha comprobado su contraseña.',
    remedy: 'Espere unos segundos y vuelva a intentarlo.',
  },
  link: {
    title: 'Este enlace no funciona',
    what: 'Ya se usó, ha caducado o está incompleto. Cada enlace funciona una sola vez.',
    'set-up':
      'El operador de este servidor crea uno nuevo con: portcullis set-up-link. Si ya hay un propietario, diríjase a él.',
    invitation: 'Pida uno nuevo a la persona que le invitó. Si ya la aceptó, inicie sesión.',
    'provider-link':
      'Pida uno nuevo a un administrador de su organización. Si ya está hecho, inicie sesión de esa forma.',
    'password-reset': 'Solicite otro. Si ya eligió una contraseña nueva, inicie sesión.',
    another: 'Solicitar otro enlace',
  },
  confirmLink: {
    title: 'Este enlace no funciona',
    what: 'Ya se usó, ha caducado o pertenece a una cuenta distinta de aquella con la que ha iniciado sesión. Una contraseña nueva o cerrar sesión en todas partes también lo anulan.',
    remedy: 'Si usted solicitó esta dirección, inicie sesión con esa cuenta y solicítela de nuevo.',
    details: 'Sus datos',
  },
  notAdministrator: {
    title: 'Solo un administrador puede decidir esto',
    what: 'Usted no es administrador de esta organización, por lo que no se ha permitido nada.',
    remedy: 'Solicítelo a un administrador en la página de la que vino.',
  },
  noTenant: {
    title: 'No puede usar esta aplicación',
    what: (application) =>
      `Ha iniciado sesión, pero no pertenece a ninguna organización en la que se pueda usar ${application}.`,
    remedy:
      'Pida a un administrador de su organización que instale la aplicación o que le invite. Si tiene otra cuenta, cierre la sesión y use esa.',
  },
  clientNotKnown: {
    title: 'Esta solicitud no puede continuar',
    what: (host, why) => `Le ha enviado una aplicación de ${host} que nadie ha registrado aquí. ${why}`,
    itself: (why) => `Le ha enviado una aplicación que se ha registrado a sí misma. ${why}`,
    remedy:
      'No se le ha devuelto a ella porque nadie de su organización la ha permitido todavía. Su desarrollador puede leer arriba qué falla.',
  },
  misconfigured: {
    title: 'Esta aplicación está mal configurada',
    noClient: 'La solicitud no indica de qué aplicación procede: falta client_id.',
    unknownClient: 'Aquí no hay ninguna aplicación registrada con el client_id de la solicitud.',
    disabled: 'La aplicación está desactivada.',
    disabledRemedy: 'Pregunte a quienes gestionan la aplicación.',
    noRedirect: 'La solicitud no indica adónde volver: falta redirect_uri.',
    otherRedirect: 'La dirección de retorno (redirect_uri) no es una de las que ha registrado la aplicación (50011).',
    sent: (known, address) => `${known} Ha enviado ${address}.`,
    noneRegistered: 'No tiene ninguna registrada.',
    nearest: (address) => `La más parecida de las registradas es ${address}.`,
    compared: (nearest) =>
      `${nearest} Las direcciones se comparan carácter por carácter. Usted ve esto porque es desarrollador de esta organización.`,
    document: (url, why) => `El documento que describe la aplicación, ${url}, no se puede usar. ${why}`,
    documentUntrusted: (host) => `No se aceptan aplicaciones de ${host} que nadie haya registrado aquí.`,
    documentUntrustedRemedy: 'Consulte a un administrador de este servidor o use una aplicación registrada aquí.',
    goneRedirect: 'La dirección de retorno ya no está registrada.',
  },
  requestTooLarge: {
    title: 'Esta solicitud es demasiado grande',
    what: (parameter, most) => `El valor ${parameter} que envió la aplicación supera los ${most} bytes.`,
  },
  requestUnreadable: { title: 'Esta solicitud no se puede leer' },
  consentRequest: {
    title: 'Esta solicitud de consentimiento no se puede mostrar',
    otherRedirect:
      'La dirección de retorno (redirect_uri) no es una de las que la aplicación ha registrado para el consentimiento de administradores (50011).',
  },
  consentNotPossible: {
    title: 'No es posible dar el consentimiento',
    remedy: 'Póngase en contacto con el desarrollador de la aplicación, que puede cambiar lo que solicita.',
    link: 'Qué significa esto',
  },
  addressGone: {
    title: 'La dirección de retorno ya no está registrada',
    what: 'Desde que usted llegó aquí, la aplicación ha eliminado la dirección a la que iba a volver.',
    remedy: 'Cierre esta página. Su decisión se ha guardado.',
  },
  notAMember: {
    title: 'Usted no puede decidir esto',
    what: (application) => `No es miembro de ninguna organización que pueda dar su consentimiento a ${application}.`,
    remedy: 'Si tiene allí otra cuenta, inicie sesión con ella. Si no, envíe esta dirección a alguien de allí.',
    link: 'Usar otra cuenta',
  },
  logout: {
    title: 'Esta solicitud de cierre de sesión no es válida',
    what: (reason) => `${reason} No se ha cerrado ninguna sesión.`,
    unreadable: 'No se ha podido leer la solicitud de la aplicación. No se ha cerrado ninguna sesión.',
    remedy: 'Para cerrar sesión aquí, use el botón. Para cerrar sesión en la aplicación, vuelva a ella.',
    button: 'Para cerrar sesión aquí, use el botón.',
    here: 'Cerrar sesión aquí',
  },
}
