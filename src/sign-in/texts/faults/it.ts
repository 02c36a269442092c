import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY = 'Il dispositivo non ha confermato la passkey. Riprova o usa un altro metodo.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Questo codice è errato o è già stato usato. Inserisci il codice mostrato ora dall’app.',
  BackupCode: 'Questo codice di backup è errato o è già stato usato. Inseriscine un altro.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'un nome utente',
  email: 'un indirizzo email',
  phone: 'un numero di telefono',
};

export const itFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Inserisci ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' o ',
    )} valido.`,
  'session.invalid_credentials': 'Nome utente o password errati.',
  'user.invalid_phone': 'Inserisci il numero completo con il prefisso del paese, ad esempio +39 312 345 6789.',
  'user.suspended': 'Questo account è sospeso. Contatta l’assistenza.',
  'user.username_already_in_use': 'Questo nome utente è già in uso. Scegline un altro.',
  'user.email_already_in_use': 'Questo indirizzo email appartiene a un altro account. Usane un altro.',
  'user.phone_already_in_use': 'Questo numero di telefono appartiene a un altro account. Usane un altro.',
  'user.identity_already_in_use': ({ provider }) =>
    `Questo account${provider ? ` ${provider}` : ''} è già collegato a un altro utente. Usane un altro.`,
  'verification_code.invalid': 'Questo codice è errato o è scaduto. Controllalo o richiedine uno nuovo.',
  'verification_code.unavailable': 'Qui non è possibile inviare codici. Usa un altro metodo.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'Hai già un secondo fattore di questo tipo. Puoi sostituirlo dalla pagina del tuo account.',
  'factor.is_last': 'Un secondo fattore è obbligatorio, quindi non puoi rimuovere l’ultimo. Aggiungine prima un altro.',
  'password.too_short': ({ minPasswordLength }) => `Usa almeno ${minPasswordLength} caratteri.`,
  'password.too_long': ({ maxPasswordLength }) => `Usa al massimo ${maxPasswordLength} caratteri.`,
  'password.too_common': 'Questa password è troppo facile da indovinare. Scegline un’altra.',
  'session.social_failed': ({ provider = 'Il provider di identità' }) =>
    `${provider} non è riuscito a confermare la tua identità. Riprova.`,
  'session.email_not_verified': ({ provider = 'Il tuo provider di identità' }) =>
    `${provider} non ha verificato il tuo indirizzo email. Contatta l’amministratore della tua organizzazione.`,
  'session.sso_required': 'La tua organizzazione gestisce questo account. Accedi con il suo provider di identità.',
  'session.not_allowed': 'Questa operazione non è disponibile qui.',
  'session.conflict': 'Questo modulo è stato inviato due volte. Continua da qui.',
  'request.unavailable': 'Il servizio è occupato. Riprova tra qualche secondo.',
};
