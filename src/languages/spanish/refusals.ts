// What the rooms below refuse, in Spanish.

import type { Texts } from '../english/texts.js'

export const refusals: Texts['refusals'] = {
  NoPassword: 'Esta cuenta no tiene contraseña.',
  WrongPassword: 'Esa no es su contraseña actual.',
  WrongCode: 'Ese código no es correcto o ya no es válido.',
  InvalidEmail: 'Eso no es una dirección de correo electrónico.',
  EmailTaken: 'Esa dirección de correo electrónico ya pertenece a alguien.',
  OtherPerson: 'Esta invitación es para otra dirección de correo electrónico: inicie sesión con ella.',
  HasOwner: 'Ya hay un propietario: pídale una invitación.',
  AlreadyMember: 'Esta persona ya es miembro de la organización.',
  TenantDisabled: 'La organización está desactivada.',
  TenantNeeded: 'Dé un nombre a la organización.',
  UserDisabled: 'Esta cuenta está desactivada.',
  SessionNotFound: 'Esta sesión ha terminado.',
  PasskeyNotFound: 'Esa llave de acceso no existe.',
  NoSecondFactor: 'No hay ningún segundo factor.',
  SecondFactorExists: 'Ya hay un segundo factor.',
  ProviderNotLinked: 'Este proveedor no está vinculado.',
  LinkedBefore:
    'Esta organización da acceso mediante un proveedor que usted vinculó antes por su cuenta. Desvincúlelo en la página de su cuenta, abra de nuevo este enlace y pida a un administrador un enlace al proveedor.',
  OtherAddress:
    'El proveedor no confirma la dirección para la que se creó este enlace. Inicie sesión allí con esa cuenta o pida un enlace para otra dirección.',
  ProviderNotTaken: 'Su organización no acepta inicios de sesión mediante este proveedor.',
  TenantKeepsLink:
    'Una de sus organizaciones da acceso mediante este proveedor, así que solo sus administradores lo vinculan: pídaselo a uno de ellos.',
  SecondFactorRequired: 'Esta cuenta debe tener un segundo factor: configure otro antes de quitar este.',
  OnlyWayIn: 'Esta es su única forma de iniciar sesión. Añada antes una llave de acceso.',
  password: {
    short: (least) => `Una contraseña tiene al menos ${least} caracteres.`,
    long: (most) => `Una contraseña tiene como máximo ${most} bytes.`,
    common:
      'Esta contraseña es de las primeras que se prueban. Elija otra, por ejemplo unas cuantas palabras sin relación entre sí.',
    personal:
      'Una contraseña no puede contener su dirección de correo electrónico ni una parte de ella, ni su nombre, el de su organización o el de este servicio.',
    leaked: 'Esta contraseña figura en una lista de contraseñas filtradas. Elija otra.',
  },
}
