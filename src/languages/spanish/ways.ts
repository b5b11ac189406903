// Refusals on the other ways in, in Spanish.

import type { Texts } from '../english/texts.js'

export const ways: Texts['ways'] = {
  device: {
    again: 'Escribir un código',
    expired: {
      title: 'Este código ha caducado',
      what: 'Ya se decidió sobre él, es demasiado antiguo o la aplicación se ha desactivado.',
      remedy: 'Si el dispositivo sigue esperando, obtenga en él un código nuevo y escríbalo.',
    },
    gone: {
      title: 'Esta página ha caducado',
      what: 'La operación ya se completó, quizá en otra pestaña, tardó demasiado o se abrió en otro navegador.',
      remedy: 'Mire el dispositivo: si continúa, ha terminado. Si sigue esperando, vuelva a escribir su código.',
    },
    tenant: {
      title: 'No puede usar esta aplicación',
      what: 'Ha iniciado sesión, pero no es miembro de ninguna organización en la que se pueda usar esta aplicación.',
      remedy:
        'Pida a un administrador de su organización que instale la aplicación, o cierre la sesión y use otra cuenta.',
    },
    role: {
      title: 'Su función no lo permite',
      what: 'El dispositivo solicita algo que su función en esta organización no permite.',
      remedy: 'Pida la función necesaria a un administrador de su organización.',
    },
    off: {
      title: 'Los códigos de dispositivo están desactivados',
      what: 'Su organización no permite que los dispositivos inicien sesión con un código. No se ha permitido nada.',
      remedy: 'Inicie sesión en el dispositivo con un navegador o pregunte a un administrador de su organización.',
    },
    typed: {
      title: 'Escriba usted el código',
      what: 'El dispositivo solicita permisos de administrador, y la persona que le envió el enlace podría usarlos en su nombre. No se ha permitido nada.',
      remedy: 'Si usted inició esto, escriba el código que muestra su dispositivo.',
    },
    factor: {
      title: 'Inicie sesión antes con dos factores',
      what: 'El dispositivo solicita permisos de administrador: cualquiera que tenga el dispositivo podría cambiar su organización en su nombre. Para eso se necesita un inicio de sesión reciente con una llave de acceso o un segundo paso. No se ha permitido nada.',
      remedy:
        'Cierre la sesión, iníciela con su llave de acceso o su segundo paso y escriba enseguida el código otra vez. Si no tiene ninguno de los dos, active antes uno.',
    },
    administrator: {
      title: 'Se necesita la aprobación de un administrador',
      what: 'El dispositivo solicita algo que requiere el consentimiento de un administrador de su organización. No se ha permitido nada.',
      remedy: 'Pida su consentimiento a un administrador y vuelva a escribir el código.',
    },
    turnOn: 'Activar el segundo paso',
  },
  provider: {
    backToProviders: 'Volver a sus proveedores',
    unknown: {
      title: 'Proveedor de inicio de sesión desconocido',
      what: 'Este servidor no tiene ningún proveedor con ese nombre.',
      remedy: 'Elija otra forma en la página de inicio de sesión.',
    },
    notProven: (provider) => ({
      title: `No hemos podido verificar la respuesta de ${provider}`,
      what: `No se ha podido verificar lo que ha llegado de ${provider}, por lo que no se ha iniciado ninguna sesión. Quizá era para otro lugar u otro intento, o ${provider} está configurado de manera distinta a la que espera este servidor.`,
      remedy:
        'Vuelva a intentarlo o inicie sesión de otra forma. Si ocurre siempre, indique al operador de este servidor el número de solicitud que figura abajo.',
    }),
    ended: (provider) => ({
      title: 'Este inicio de sesión ha caducado',
      what: `Lo que ha llegado de ${provider} pertenece a un inicio de sesión que ya se completó, que esperó más de un cuarto de hora o que se empezó en otro navegador.`,
      remedy: 'Empiece de nuevo desde aquí.',
    }),
    noAccount: (provider) => ({
      title: 'No hay ninguna cuenta vinculada',
      what: `${provider} ha confirmado quién es usted, pero ninguna cuenta de aquí está vinculada con la que tiene allí.`,
      remedy: `Si tiene una cuenta aquí, inicie sesión de otra forma y vincule ${provider} en la página de su cuenta. Si no la tiene, pida una invitación a un administrador de su organización. Si su organización gestiona esto, pida un enlace a un administrador.`,
    }),
    noTenant: (provider) => ({
      title: 'No hemos podido crear una cuenta',
      what: `${provider} ha confirmado quién es usted, pero la organización a la que se unen las personas nuevas no existe o está desactivada.`,
      remedy: 'Indique al operador de este servidor el número de solicitud que figura abajo.',
    }),
    away: (provider) => ({
      title: `No se puede contactar con ${provider}`,
      what: `${provider} no ha respondido a tiempo o ha dado una respuesta no válida. No se ha iniciado ninguna sesión.`,
      remedy: 'Espere un minuto y vuelva a intentarlo, o inicie sesión de otra forma.',
    }),
    unfinished: (provider) => ({
      title: `No se ha iniciado su sesión en ${provider}`,
      what: `${provider} le ha devuelto aquí sin confirmar quién es usted: el inicio de sesión se canceló o se rechazó allí.`,
      remedy: 'Vuelva a intentarlo o inicie sesión de otra forma.',
    }),
  },
}
