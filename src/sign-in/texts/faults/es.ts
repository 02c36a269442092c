import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Tu dispositivo no ha confirmado la llave de acceso. Inténtalo de nuevo o usa otro método.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Este código es incorrecto o ya se ha usado. Introduce el código que la aplicación muestra ahora.',
  BackupCode: 'Este código de respaldo es incorrecto o ya se ha usado. Introduce otro.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'nombre de usuario',
  email: 'correo electrónico',
  phone: 'número de teléfono',
};

export const esFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Introduce un ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' o ',
    )} válido.`,
  'session.invalid_credentials': 'El nombre de usuario o la contraseña son incorrectos.',
  'user.invalid_phone': 'Introduce el número completo con el prefijo del país, por ejemplo +34 612 34 56 78.',
  'user.suspended': 'Esta cuenta está suspendida. Ponte en contacto con el equipo de asistencia.',
  'user.username_already_in_use': 'Este nombre de usuario ya está en uso. Elige otro.',
  'user.email_already_in_use': 'Este correo electrónico pertenece a otra cuenta. Usa otro.',
  'user.phone_already_in_use': 'Este número de teléfono pertenece a otra cuenta. Usa otro.',
  'user.identity_already_in_use': ({ provider }) =>
    `Esta cuenta${provider ? ` de ${provider}` : ''} ya está vinculada a otro usuario. Usa otra.`,
  'verification_code.invalid': 'Este código es incorrecto o ha caducado. Compruébalo o solicita uno nuevo.',
  'verification_code.unavailable': 'Aquí no se pueden enviar códigos. Usa otro método.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'Ya tienes un segundo factor de este tipo. Puedes sustituirlo en la página de tu cuenta.',
  'factor.is_last': 'Se requiere un segundo factor, así que no puedes quitar el último. Añade otro primero.',
  'password.too_short': ({ minPasswordLength }) => `Usa al menos ${minPasswordLength} caracteres.`,
  'password.too_long': ({ maxPasswordLength }) => `Usa como máximo ${maxPasswordLength} caracteres.`,
  'password.too_common': 'Esta contraseña es demasiado fácil de adivinar. Elige otra.',
  'session.social_failed': ({ provider = 'El proveedor de identidad' }) =>
    `${provider} no ha podido confirmar tu identidad. Inténtalo de nuevo.`,
  'session.email_not_verified': ({ provider = 'Tu proveedor de identidad' }) =>
    `${provider} no ha verificado tu correo electrónico. Ponte en contacto con el administrador de tu organización.`,
  'session.sso_required': 'Tu organización gestiona esta cuenta. Inicia sesión con su proveedor de identidad.',
  'session.not_allowed': 'Esta acción no está disponible aquí.',
  'session.conflict': 'Este formulario se ha enviado dos veces. Continúa desde aquí.',
  'request.unavailable': 'El servicio está ocupado. Inténtalo de nuevo en unos segundos.',
};
