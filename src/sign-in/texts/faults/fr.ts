import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Votre appareil n’a pas confirmé la clé d’accès. Réessayez ou utilisez une autre méthode.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Ce code est incorrect ou a déjà été utilisé. Saisissez le code affiché actuellement par l’application.',
  BackupCode: 'Ce code de secours est incorrect ou a déjà été utilisé. Saisissez-en un autre.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'un nom d’utilisateur',
  email: 'une adresse e-mail',
  phone: 'un numéro de téléphone',
};

export const frFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Saisissez ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' ou ',
    )} valide.`,
  'session.invalid_credentials': 'Nom d’utilisateur ou mot de passe incorrect.',
  'user.invalid_phone': 'Saisissez le numéro complet avec l’indicatif du pays, par exemple +33 6 12 34 56 78.',
  'user.suspended': 'Ce compte est suspendu. Contactez l’assistance.',
  'user.username_already_in_use': 'Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.',
  'user.email_already_in_use': 'Cette adresse e-mail est associée à un autre compte. Utilisez-en une autre.',
  'user.phone_already_in_use': 'Ce numéro de téléphone est associé à un autre compte. Utilisez-en un autre.',
  'user.identity_already_in_use': ({ provider }) =>
    `Ce compte${provider ? ` ${provider}` : ''} est déjà associé à un autre utilisateur. Utilisez-en un autre.`,
  'verification_code.invalid': 'Ce code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.',
  'verification_code.unavailable': 'L’envoi de codes n’est pas disponible ici. Utilisez une autre méthode.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held':
    'Vous avez déjà un second facteur de ce type. Vous pouvez le remplacer depuis la page de votre compte.',
  'factor.is_last':
    'Un second facteur est obligatoire : vous ne pouvez pas supprimer le dernier. Ajoutez-en d’abord un autre.',
  'password.too_short': ({ minPasswordLength }) => `Utilisez au moins ${minPasswordLength} caractères.`,
  'password.too_long': ({ maxPasswordLength }) => `Utilisez au maximum ${maxPasswordLength} caractères.`,
  'password.too_common': 'Ce mot de passe est trop facile à deviner. Choisissez-en un autre.',
  'session.social_failed': ({ provider = 'Le fournisseur d’identité' }) =>
    `${provider} n’a pas pu confirmer votre identité. Réessayez.`,
  'session.email_not_verified': ({ provider = 'Votre fournisseur d’identité' }) =>
    `${provider} n’a pas validé votre adresse e-mail. Contactez l’administrateur de votre organisation.`,
  'session.sso_required': 'Ce compte est géré par votre organisation. Connectez-vous avec son fournisseur d’identité.',
  'session.not_allowed': 'Cette action n’est pas disponible ici.',
  'session.conflict': 'Ce formulaire a été envoyé deux fois. Continuez à partir d’ici.',
  'request.unavailable': 'Le service est surchargé. Réessayez dans quelques secondes.',
};
